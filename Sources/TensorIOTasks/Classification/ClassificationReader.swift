public import TensorIOCore

/// Reads the best labels out of a classifier's scores.
///
///     let reader = try ClassificationReader(model)
///     for entry in try reader.read(model.run(picture)) { print(entry.label, entry.score) }
///
/// What the bundle's task says of `top`, `threshold`, `allow` and `deny` can be changed in
/// ``selection``. Over the pictures of a video, a `ClassificationSmoother` steadies what is read.
public struct ClassificationReader: Sendable {
  /// Which labels are read.
  public var selection: LabelSelection
  private let name: String

  /// A reader for the outputs of a model.
  public init(_ model: Model) throws(ModelError) {
    selection = LabelSelection(model.bundle.description.task)
    guard let name = Self.scores(among: model.outputs) else {
      throw ModelError(
        .bundle, .unsupported("classification without an output that has labels"),
        file: model.bundle.path)
    }
    self.name = name
  }

  /// The best labels, highest first.
  public func read(_ output: ModelOutput) throws(ModelError) -> [Classification.Entry] {
    let value = try output[name]
    if let classification = value.classification { return selection.entries(of: classification) }
    let scores: [Float] = try output.value(of: name)
    return selection.entries(of: Classification(labels: [], scores: scores))
  }

  private static func scores(among outputs: [Layer]) -> String? {
    outputs.name(of: .scores) ?? outputs.first { $0.labels != nil }?.name
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
      count: task.count("top"), threshold: task.number("threshold"), filter: task.labelFilter)
  }
}
