public import TensorIOBundle
public import TensorIOCore

/// Reads the best labels out of a classifier's scores.
///
///     let reader = try ClassificationDecoder(model)
///     for entry in try reader.read(model.run(picture)) { print(entry.label, entry.score) }
///
/// What the bundle's task says of `top`, `threshold`, `allow` and `deny` can be changed in
/// ``selection``. Over the pictures of a video, a `ClassificationSmoother` steadies what is read.
public struct ClassificationDecoder: Sendable {
  /// Which labels are read.
  public var selection: LabelSelection
  private let name: String

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    selection = LabelSelection(model.bundle.description.task)
    guard let name = Self.scoresOutput(in: model.outputs) else {
      throw ModelError(
        .bundle, .unsupported("classification without an output that has labels"),
        file: model.bundle.path)
    }
    self.name = name
  }

  /// The best labels, highest first.
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
  /// What a bundle's task says of which labels count; everything where it is another task.
  public init(_ task: ModelTask?) {
    guard let task, task.type == "classification" else {
      self.init()
      return
    }
    self.init(
      maxCount: task.int("top"), threshold: task.float("threshold"), filter: task.labelFilter)
  }
}
