package import TensorIOBundle
package import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Suggests labels or boxes for images that have no annotations.
package struct LabelSuggester {
  private enum Decoder {
    case labels(ClassificationDecoder)
    case boxes(DetectionDecoder)
  }

  private let model: Model
  private let decoder: Decoder
  /// The model's labels.
  package let labels: [String]

  package init(_ model: Model) throws(OperationError) {
    self.model = model
    do throws(ModelError) {
      let isDetector = model.bundle.description.task?.type == "detection"
      decoder =
        isDetector ? .boxes(try DetectionDecoder(model)) : .labels(try ClassificationDecoder(model))
      let layer = model.outputs.first { $0.labelsFile != nil }
      labels = if let layer { try model.bundle.labels(for: layer) } else { [] }
    } catch {
      throw OperationError(error)
    }
  }

  /// Whether the model suggests boxes rather than labels.
  package var suggestsBoxes: Bool { if case .boxes = decoder { true } else { false } }

  /// Returns the suggested annotations for an encoded image, with the best labels and their scores.
  package func suggestion(
    for imageBytes: [UInt8]
  ) throws(ModelError) -> (ImageAnnotations, scores: [String]) {
    let output = try model.run(.value(.bytes(imageBytes)))
    switch decoder {
    case .labels(let decoder):
      let entries = try decoder.decode(output).prefix(Self.maxSuggestions)
      return (
        ImageAnnotations(labels: entries.first.map { [$0.label] } ?? []),
        entries.map { "(\($0.score.formatted(decimals: 2))) \($0.label)" }
      )
    case .boxes(let decoder):
      let boxes = try decoder.decode(output).map(Self.labeledBox)
      return (ImageAnnotations(boxes: boxes), [])
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
