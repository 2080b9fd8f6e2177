package import TensorIOBundle
package import TensorIOCore
package import TensorIOImage

/// Converts a model's raw outputs into the result of the bundle's task.
package struct TaskPostprocessor: Sendable {
  /// The postprocessed outputs of a run.
  package struct ProcessedOutput: Sendable {
    /// The outputs to display.
    package var output: ModelOutput
    /// The result of the task, unless the outputs themselves are the result.
    package var result: (any TaskResult)?
  }

  private var task: (any ModelTask)?
  /// The outputs that are not shown because they are the model's state.
  private let stateOutputs: Set<String>
  private var includesRawOutputs: Bool

  /// Creates a postprocessor for a model.
  package init(
    _ model: Model, _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) {
    try self.init(model.info, options)
  }

  /// Creates a postprocessor for the outputs of a model.
  init(
    _ source: ModelInfo, _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) {
    if let declared = source.task, let type = TaskRegistry.shared.format(of: declared)?.task {
      task = try type.init(source)
    }
    task?.apply(options)
    stateOutputs = Set(source.description.state.map(\.output))
    includesRawOutputs = options.includesRawOutputs
  }

  /// Returns the postprocessor with other options.
  package func applying(_ options: ResultOptions) -> TaskPostprocessor {
    var copy = self
    copy.includesRawOutputs = options.includesRawOutputs
    copy.task?.apply(options)
    return copy
  }

  /// Whether the smoother can follow the objects of a stream (``ResultOptions/tracking``).
  package var canTrack: Bool { task.map { type(of: $0).canTrack } ?? false }

  /// Returns a smoother for the results of a stream; `nil` if neither the bundle nor the options ask for
  /// one.
  package func makeSmoother() -> (any ResultSmoother)? { task?.makeSmoother() }

  /// Postprocesses the outputs of a run.
  package func process(_ output: ModelOutput) throws(ModelError) -> ProcessedOutput {
    var processed = ProcessedOutput(output: output)
    hide(stateOutputs, in: &processed)
    // There is nothing to decode in an empty output.
    guard let task, !output.layers.isEmpty else { return processed }
    switch try task.presentation(of: output) {
    case .outputs: break
    case .result(let result, let names):
      processed.result = result
      hide(names, in: &processed)
      makeRoom(for: result.key, isWritten: output.passedResult != nil, in: &processed)
    case .value(let key, let value, let name, let result):
      processed.result = result
      replace(name, by: key, value, in: &processed)
    }
    return processed
  }

  /// Removes outputs, unless raw outputs are included.
  private func hide(_ names: Set<String>, in processed: inout ProcessedOutput) {
    guard !includesRawOutputs, !names.isEmpty else { return }
    processed.output = processed.output.with(
      layers: processed.output.layers.filter { !names.contains($0.name) })
  }

  /// Renames the output with the name of the result, because an object cannot have a member twice.
  ///
  /// The text that a model has written is in its result, so that its output is removed.
  private func makeRoom(
    for key: String, isWritten: Bool, in processed: inout ProcessedOutput
  ) {
    let layers = processed.output.layers.compactMap { layer -> ModelOutput.Layer? in
      guard layer.name == key else { return layer }
      return isWritten ? nil : Self.raw(layer)
    }
    processed.output = processed.output.with(layers: layers)
  }

  private static func raw(_ layer: ModelOutput.Layer) -> ModelOutput.Layer {
    ModelOutput.Layer(name: layer.name + "_raw", value: layer.value)
  }

  /// Replaces a raw output with the decoded value.
  ///
  /// If raw outputs are included, the raw output is kept, renamed if it has the same name.
  private func replace(
    _ name: String, by key: String, _ value: LayerValue, in processed: inout ProcessedOutput
  ) {
    let layers = processed.output.layers.flatMap { layer -> [ModelOutput.Layer] in
      guard layer.name == name else { return [layer] }
      let decoded = ModelOutput.Layer(name: key, value: value)
      guard includesRawOutputs else { return [decoded] }
      return [decoded, name == key ? Self.raw(layer) : layer]
    }
    processed.output = processed.output.with(layers: layers)
  }
}

extension TaskPostprocessor.ProcessedOutput {
  /// The default number of labels in an overlay.
  package static let defaultLabelCount = 5

  /// The first image among the outputs.
  package var firstImage: ImageBuffer? { output.layers.lazy.compactMap(\.value.image).first }

  /// Returns what to draw on the image to show the result: the overlay of the task, otherwise a
  /// panel with labels and numbers.
  ///
  /// - Parameters:
  ///   - labels: The labels to show.
  ///   - smoothedEntries: Labels smoothed over the frames of a stream, which replace those of the
  ///     result.
  /// - Returns: The overlay.
  package func overlay(
    labels: LabelSelection, smoothedEntries: [Classification.Entry]? = nil
  ) -> Overlay {
    if let result { return result.overlay }
    var labels = labels
    labels.top = labels.top ?? Self.defaultLabelCount
    let entries = output.layers.flatMap { layer -> [Overlay.Score] in
      guard let classification = layer.value.classification else {
        return layer.value.number.map { [Overlay.Score(label: layer.name, score: $0)] } ?? []
      }
      return (smoothedEntries ?? labels.entries(of: classification)).map {
        Overlay.Score(label: $0.label, score: Double($0.score), index: $0.index)
      }
    }
    return Overlay(entries.isEmpty ? [] : [.scores(entries)])
  }
}
