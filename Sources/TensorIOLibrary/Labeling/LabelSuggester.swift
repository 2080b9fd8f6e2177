package import TensorIOBundle
package import TensorIOCore
import TensorIOData
import TensorIOTasks

/// What a model says of pictures that nobody has labelled yet.
package struct LabelSuggester {
  private enum Reader {
    case labels(ClassificationDecoder)
    case boxes(DetectionDecoder)
  }

  private let model: Model
  private let reader: Reader
  /// The labels that the model knows.
  package let labels: [String]

  package init(_ model: Model) throws(OperationError) {
    self.model = model
    do throws(ModelError) {
      let isDetector = model.bundle.description.task?.type == "detection"
      reader =
        isDetector ? .boxes(try DetectionDecoder(model)) : .labels(try ClassificationDecoder(model))
      let layer = model.outputs.first { $0.labelsFile != nil }
      labels = if let layer { try model.bundle.labels(for: layer) } else { [] }
    } catch {
      throw OperationError(error)
    }
  }

  /// Whether it is boxes that the model suggests.
  package var suggestsBoxes: Bool { if case .boxes = reader { true } else { false } }

  /// What the model says of a picture, given as the bytes of its file, and how sure it is.
  package func suggestion(for picture: [UInt8]) throws(ModelError) -> (ImageAnnotations, scores: [String]) {
    let output = try model.run(.value(.bytes(picture)))
    switch reader {
    case .labels(let reader):
      let entries = try reader.decode(output).prefix(Self.maxSuggestions)
      return (
        ImageAnnotations(labels: entries.first.map { [$0.label] } ?? []),
        entries.map { "(\($0.score.formatted(decimals: 2))) \($0.label)" }
      )
    case .boxes(let reader):
      let found = try reader.decode(output).map(Self.labeledBox)
      return (ImageAnnotations(boxes: found), [])
    }
  }

  private static let maxSuggestions = 5

  private static func labeledBox(_ detection: Detection) -> ImageAnnotations.LabeledBox {
    let box = detection.box
    return ImageAnnotations.LabeledBox(
      label: detection.label,
      box: AnnotatedBox(
        labelIndex: 0, xmin: box.xmin, ymin: box.ymin, xmax: box.xmax, ymax: box.ymax))
  }
}
