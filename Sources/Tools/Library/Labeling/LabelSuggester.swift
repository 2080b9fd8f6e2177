package import TensorIOBundle
package import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Suggests labels or boxes for images that have no annotations.
package struct LabelSuggester {
  private let model: Model
  /// Reads boxes; `nil` for a model that suggests labels.
  private let boxes: ResultReading.Function<[Detection]>?
  /// The model's labels.
  package let labels: [String]

  package init(_ model: Model) throws(OperationError) {
    self.model = model
    do throws(ModelError) {
      boxes = model.hasResults(as: .boxes) ? try ResultReader(model, .boxes).boxes().read : nil
      guard
        boxes != nil
          || model.outputs.contains(where: { $0.role == .scores || $0.labelsFile != nil })
      else {
        throw ModelError(
          .bundle,
          .unmetRequirement(
            "suggesting labels requires an output with labels, or a task with boxes"),
          file: model.bundle.path)
      }
      let layer = model.outputs.first { $0.labelsFile != nil }
      labels = if let layer { try model.bundle.labels(for: layer) } else { [] }
    } catch {
      throw OperationError(error)
    }
  }

  /// Whether the model suggests boxes rather than labels.
  package var suggestsBoxes: Bool { boxes != nil }

  /// Returns the suggested annotations for an encoded image, with the best labels and their scores.
  package func suggestion(
    for imageBytes: [UInt8]
  ) throws(ModelError) -> (ImageAnnotations, scores: [String]) {
    let output = try model.run(.value(.bytes(imageBytes)))
    if let boxes {
      return (ImageAnnotations(boxes: try boxes(output).map(Self.labeledBox)), [])
    }
    let entries = try output.classes.prefix(Self.maxSuggestions)
    return (
      ImageAnnotations(labels: entries.first.map { [$0.label] } ?? []),
      entries.map { "(\($0.score.formatted(decimals: 2))) \($0.label)" }
    )
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
