internal import TensorIO
internal import TensorIOCore
internal import TensorIOData
internal import TensorIOTasks

/// What a model says of pictures that nobody has labelled yet.
struct LabelSuggestions {
  private enum Reader {
    case labels(ClassificationReader)
    case boxes(DetectionReader)
  }

  private let model: Model
  private let reader: Reader
  /// The labels that the model knows.
  let labels: [String]

  init(_ model: Model) throws(CommandFailure) {
    self.model = model
    do throws(ModelError) {
      let isDetector = model.bundle.description.task?.type == "detection"
      reader =
        isDetector ? .boxes(try DetectionReader(model)) : .labels(try ClassificationReader(model))
      let layer = model.outputs.first { $0.labels != nil }
      labels = if let layer { try model.bundle.labels(for: layer) } else { [] }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Whether it is boxes that the model suggests.
  var hasBoxes: Bool { if case .boxes = reader { true } else { false } }

  /// What the model says of a picture, given as the bytes of its file, and how sure it is.
  func suggestion(for picture: [UInt8]) throws(ModelError) -> (LabelledState, scores: [String]) {
    let output = try model.run(.value(.bytes(picture)))
    switch reader {
    case .labels(let reader):
      let entries = try reader.read(output).prefix(Self.shownCount)
      return (
        LabelledState(labels: entries.first.map { [$0.label] } ?? []),
        entries.map { "(\($0.score.fixed(2))) \($0.label)" }
      )
    case .boxes(let reader):
      let found = try reader.read(output).map(Self.labelled)
      return (LabelledState(boxes: found), [])
    }
  }

  private static let shownCount = 5

  private static func labelled(_ detection: Detection) -> LabelledState.Labelled {
    let box = detection.box
    return LabelledState.Labelled(
      label: detection.label,
      box: AnnotatedBox(
        label: 0, xmin: box.xmin, ymin: box.ymin, xmax: box.xmax, ymax: box.ymax))
  }
}
