package import TensorIOBundle
package import TensorIOCore

/// Decodes the labels with the highest scores from a classifier's outputs.
///
/// The settings `top`, `threshold`, `allow` and `deny` of the bundle's task are the defaults of
/// ``options``.
package struct ClassificationDecoder: TaskDecoder {
  /// The labels to return.
  package var options: LabelSelection
  /// The name of the output with the scores.
  package let output: String
  /// The task of the bundle.
  let task: ModelTask?

  /// Creates a decoder for the outputs of a model.
  package init(_ source: OutputSource) throws(ModelError) {
    options = LabelSelection(source.task)
    guard let name = Self.scoresOutput(in: source.outputs) else {
      throw ModelError(
        .bundle, .unmetRequirement("the task classification requires an output with labels"),
        file: source.bundle.path)
    }
    output = name
    task = source.task
  }

  /// Returns the selected labels, in descending order of score.
  package func decode(_ output: ModelOutput) throws(ModelError) -> [Classification.Entry] {
    let value = try output[self.output]
    if let classification = value.classification { return options.entries(of: classification) }
    let scores: [Float] = try output.value(of: self.output)
    return options.entries(of: Classification(labels: [], scores: scores))
  }

  /// Returns the selected labels of a value, in descending order of score; empty for values without
  /// numbers.
  func entries(in value: LayerValue) -> [Classification.Entry] {
    if let classification = value.classification { return options.entries(of: classification) }
    let scores = value.numbers?.doubles.map(Float.init) ?? []
    return options.entries(of: Classification(labels: [], scores: scores))
  }

  private static func scoresOutput(in outputs: [Layer]) -> String? {
    outputs.outputName(for: .scores) ?? outputs.first { $0.labelsFile != nil }?.name
  }
}

extension LabelSelection {
  /// Creates a selection from the settings of a classification task; selects everything for other
  /// tasks.
  package init(_ task: ModelTask?) {
    guard let task, task.type == "classification" else {
      self.init()
      return
    }
    self.init(
      maxCount: task.int("top"), threshold: task.float("threshold"), filter: task.labelFilter)
  }
}
