package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Segmentation: the class of each pixel of an image.
package struct SegmentationTask: TaskHandler {
  package static let format = TaskFormat(
    "segmentation",
    settings: [
      "size": .choice(SegmentationOptions.Size.allCases.map(\.rawValue)),
      "activation": .choice(SegmentationOptions.Activation.allCases.map(\.rawValue)),
      "layout": .choice(ImageLayout.allCases.map(\.rawValue)),
      "threshold": .fraction, "background": .strings,
    ],
    requiredOutputs: [.role(.mask)])

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
