package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Segmentation: the class of each pixel of an image.
package struct SegmentationTask: TaskHandler {
  package static let format = TaskFormat("segmentation", requiredOutputs: [.role(.mask)]) {
    Field.size(SegmentationOptions.Size.self).otherwise("`\"original\"`")
    Field(
      "activation", .choice(of: SegmentationOptions.Activation.allCases.map(\.rawValue)),
      otherwise: "`\"none\"`", "The function that turns scores into probabilities."
    ).example("\"sigmoid\"")
    Field(
      "layout", .choice(of: ImageLayout.allCases.map(\.rawValue)), otherwise: "`\"NHWC\"`",
      "The order of the axes of scores: rows, columns, classes, or classes, rows, columns."
    ).example("\"NCHW\"")
    Field(
      "threshold", .number(in: .fraction), otherwise: "0.5",
      "For an output with a single class, the minimum probability of the object, 0 to 1."
    ).example("0.3")
    Field(
      "background", .strings, otherwise: "`[\"background\", \"__background__\", \"unlabeled\"]`",
      "The labels that are neither listed nor drawn."
    ).example("[\"sky\"]")
  }

  private var decoder: SegmentationDecoder
  private var maxCount: Int?
  private var filter = LabelFilter()

  package init(_ source: OutputSource) throws(ModelError) {
    decoder = try SegmentationDecoder(source)
  }

  package mutating func apply(_ options: ResultOptions) {
    decoder.options.threshold = options.threshold ?? decoder.options.threshold
    maxCount = options.top ?? maxCount
    options.apply(to: &filter)
  }

  package var replacedOutputs: Set<String> { [decoder.output] }

  package func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult {
    let segmentation = try decoder.decode(output)
    let regions = segmentation.regions.filter { filter.allows($0.label) }
    let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    return .result(
      SegmentationResult(
        segmentation: segmentation, regions: Array(regions.prefix(maxCount ?? .max)),
        imageWidth: geometry?.imageWidth ?? segmentation.width,
        imageHeight: geometry?.imageHeight ?? segmentation.height))
  }
}
