public import TensorIOBundle
public import TensorIOCore

/// Decodes the labels with the highest scores from a classifier's outputs.
///
/// ```swift
/// let decoder = try ClassificationDecoder(model)
/// for entry in try decoder.decode(model.run(image)) { print(entry.label, entry.score) }
/// ```
///
/// The settings `top`, `threshold`, `allow` and `deny` of the bundle's task are the defaults of
/// ``selection``. For video, a `ClassificationSmoother` smooths the results over frames.
public struct ClassificationDecoder: Sendable {
  /// The labels to return.
  public var selection: LabelSelection
  private let name: String

  /// Creates a decoder for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    selection = LabelSelection(model.bundle.description.task)
    guard let name = Self.scoresOutput(in: model.outputs) else {
      throw ModelError(
        .bundle, .unsupported("a classification task without an output that has labels"),
        file: model.bundle.path)
    }
    self.name = name
  }

  /// Returns the selected labels, in descending order of score.
  public func decode(_ output: ModelOutput) throws(ModelError) -> [Classification.Entry] {
    let value = try output[name]
    if let classification = value.classification { return selection.entries(of: classification) }
    let scores: [Float] = try output.value(of: name)
    return selection.entries(of: Classification(labels: [], scores: scores))
  }

  private static func scoresOutput(in outputs: [Layer]) -> String? {
    outputs.outputName(for: .scores) ?? outputs.first { $0.labelsFile != nil }?.name
  }
}

extension LabelSelection {
  /// Creates a selection from the settings of a classification task; selects everything for other
  /// tasks.
  public init(_ task: ModelTask?) {
    guard let task, task.type == "classification" else {
      self.init()
      return
    }
    self.init(
      maxCount: task.int("top"), threshold: task.float("threshold"), filter: task.labelFilter)
  }
}
