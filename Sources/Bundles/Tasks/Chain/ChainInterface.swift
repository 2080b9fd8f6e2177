package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// What a chain is to those who run it: a bundle with the chain's inputs, the results that it passes on, and the outputs of
/// its last bundle.
package struct ChainInterface: Sendable {
  /// The bundle, whose parts are the bundles of the steps.
  package let bundle: ModelBundle
  /// The last step that runs a bundle.
  private let step: String
  /// The model of this step.
  private let model: ModelInfo
  /// The results that are passed on; `nil` if the last bundle's result is that of the chain.
  private let passed: Passed?
  /// The outputs of the last bundle that are lists with a value for each passed result, with their names; one that has the
  /// name of another output is prefixed with its step.
  private let lists: [(layer: Layer, name: String)]

  /// The results that a chain passes on.
  private struct Passed {
    let type: any PassedResult.Type
    /// The step that finds them.
    let step: String
    /// The outputs from which clients of tensors read them.
    let outputs: [Layer]
    /// The task that reads them.
    let task: TaskDescription

    init(_ type: any PassedResult.Type, of step: String, _ model: ModelInfo) throws(ModelError) {
      (self.type, self.step) = (type, step)
      (outputs, task) = try type.declaration(for: model)
    }
  }

  /// Composes the bundles of a chain.
  ///
  /// - Parameters:
  ///   - chain: The chain.
  ///   - models: The models of the steps with a bundle.
  ///   - path: The path of the chain.
  ///   - bytes: The `chain.json`.
  /// - Throws: A ``ModelError`` if no step runs a bundle, or no bundle uses one of the inputs.
  package init(
    _ chain: ChainDescription, _ models: [String: ModelInfo], at path: String,
    describedBy bytes: [UInt8] = []
  ) throws(ModelError) {
    guard let step = chain.lastBundleStep, let model = models[step] else {
      throw ModelError(
        .bundle, .unmetRequirement("the chain has no step with a bundle"), file: path)
    }
    (self.step, self.model) = (step, model)
    passed = try Self.passed(by: chain, models)
    if let passed, passed.step != step, passed.type != TextLines.self {
      let taken = Set(passed.outputs.map(\.name))
      lists = model.outputs.map { ($0, taken.contains($0.name) ? "\(step).\($0.name)" : $0.name) }
    } else {
      lists = []
    }
    var composed = ModelDescription(
      name: chain.name, id: chain.id, version: chain.version, backend: model.bundle.backend,
      inputs: try chain.inputs.map { (name) throws(ModelError) in
        try chain.layer(for: name, models, at: path)
      },
      outputs: passed?.outputs ?? model.outputs)
    composed.details = chain.details
    composed.task = passed?.task ?? model.task
    composed.outputs += lists.map { listed in
      var layer = listed.layer
      layer.name = listed.name
      return layer
    }
    // The labels are in a file of the bundle that finds the results.
    bundle = ModelBundle(
      composed, at: path, sharingFilesOf: (passed.flatMap { models[$0.step] } ?? model).bundle,
      composition: .init(bytes, of: chain.steps.compactMap { models[$0.name]?.bundle }))
  }

  /// Returns the results that a chain passes on: the poses that its last step finds in regions, or else the detections of the
  /// last step with any.
  private static func passed(
    by chain: ChainDescription, _ models: [String: ModelInfo]
  ) throws(ModelError) -> Passed? {
    if let step = chain.steps.last, case .bundle(_, let sources) = step.kind,
      let model = models[step.name], chain.hasRegion(among: sources),
      model.bundle.description.describesPoses
    {
      return try Passed(Poses.self, of: step.name, model)
    }
    if let step = chain.steps.last, let reader = models[step.name],
      reader.bundle.description.resultForms.contains(.line),
      let detector = chain.lineDetector(of: step), let model = models[detector]
    {
      return try Passed(TextLines.self, of: detector, model)
    }
    guard let step = chain.lastDetectionStep, let detector = chain.detectorStep(for: step),
      let model = models[detector.name]
    else { return nil }
    return try Passed(Detections.self, of: detector.name, model)
  }

  /// Returns what the chain's model returns for a run.
  func output(of run: ChainOutput) throws(ModelError) -> ModelOutput {
    let outputs = run.outputs[step] ?? []
    guard let passed else { return outputs.first ?? .empty }
    let size = run.imageSize(of: passed.step)
    let result: any PassedResult =
      if passed.type == Poses.self {
        Poses(run.posesByStep[passed.step] ?? [])
      } else if passed.type == TextLines.self {
        TextLines(
          run.linesByStep[step] ?? [],
          imageSize: size.map { .init(width: $0.width, height: $0.height) })
      } else {
        Detections(run.detections ?? [])
      }
    // The coordinates are in pixels of the caller's image.
    let geometry = size.map {
      ImageGeometry(identityWidth: $0.width, height: $0.height)
    }
    return ModelOutput(
      layers: result.layers(passed.outputs, for: passed.task) + (try values(of: outputs)),
      imageGeometries: geometry.map { [$0] } ?? []
    ).passing(result)
  }

  /// Returns the outputs of the last bundle as lists, with embeddings as the task returns them, which normalizes them.
  private func values(of outputs: [ModelOutput]) throws(ModelError) -> [ModelOutput.Layer] {
    let reader =
      model.bundle.description.resultForms.contains(.identities)
      ? try ResultReader(model, .identities) : nil
    let read = try reader?.embeddings().read
    return try lists.map { (layer, name) throws(ModelError) in
      let values = try outputs.map { (output) throws(ModelError) -> LayerValue in
        guard let read, reader?.outputs.contains(layer.name) ?? false else {
          return try output[layer.name]
        }
        return .numbers(Numbers(.floats(try read(output).values)))
      }
      return ModelOutput.Layer(name: name, value: .list(values))
    }
  }
}

extension ChainDescription {
  /// The last step that runs a bundle.
  fileprivate var lastBundleStep: String? {
    steps.last(where: \.runsBundle)?.name
  }

  /// The last step that aligns, refines or extracts objects.
  fileprivate var lastDetectionStep: String? {
    steps.last { !$0.runsBundle }?.name
  }

  /// Returns the step that finds the lines of text that a step reads; `nil` if it reads none.
  fileprivate func lineDetector(of step: ChainStep) -> String? {
    guard case .bundle(_, let sources) = step.kind else { return nil }
    for case .step(let name, _) in sources.values {
      let source = steps.first { $0.name == name }
      switch source?.kind {
      case .crop(let crop): return crop.lines
      case .turn: return detectorStep(for: name)?.name
      default: continue
      }
    }
    return nil
  }

  /// Whether a source is a step that extracts regions.
  fileprivate func hasRegion(among sources: [String: ChainSource]) -> Bool {
    steps.contains { step in
      guard case .region = step.kind else { return false }
      return sources.values.contains(.step(step.name, output: nil))
    }
  }

  /// Returns the first bundle input that a chain input is passed to, renamed to the chain input.
  fileprivate func layer(
    for name: String, _ models: [String: ModelInfo], at path: String
  ) throws(ModelError) -> Layer {
    for step in steps {
      guard case .bundle(_, let sources) = step.kind,
        let input = sources.first(where: { $0.value == .input(name) })?.key,
        var layer = models[step.name]?.inputs.first(where: { $0.name == input })
      else { continue }
      layer.name = name
      return layer
    }
    throw ModelError(
      .bundle, .unmetRequirement("no bundle uses the chain input '\(name, as: "name")'"), file: path
    )
  }
}
