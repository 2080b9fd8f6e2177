package import TensorIOBundle
package import TensorIOCore
import TensorIOImage

/// Decodes the masks of detected objects: weighted sums of prototypes, cut at the boxes.
package struct InstanceMaskDecoder: TaskDecoder {
  /// The detections to return.
  package var options: DetectionOptions {
    get { detector.options }
    set { detector.options = newValue }
  }
  private var detector: DetectionDecoder
  private let boxes: String
  private let prototypes: String
  private let (labelCount, prototypeCount): (Int, Int)

  /// Creates a decoder for the outputs of a model.
  package init(_ source: OutputSource) throws(ModelError) {
    let roles = try DetectionRoles(source)
    guard let prototypes = roles.prototypes else {
      throw ModelError(
        .bundle, .unmetRequirement("masks of objects require an output with the role prototypes"),
        file: source.bundle.path)
    }
    detector = try DetectionDecoder(source)
    (boxes, self.prototypes) = (roles.boxes, prototypes)
    labelCount = try source.classLabels().count
    prototypeCount = MaskPrototypes.count(in: source.outputs)
  }

  /// Returns the masks, in the order of the detections.
  package func decode(_ output: ModelOutput) throws(ModelError) -> [InstanceMask] {
    try masks(of: detector.decode(output), in: output)
  }

  /// Returns the masks of detections, in their order.
  package func masks(
    of detections: Detections, in output: ModelOutput
  ) throws(ModelError) -> [InstanceMask] {
    guard let geometry = output.imageGeometries.lazy.compactMap(\.self).first, !detections.isEmpty
    else { return [] }
    let matrix = try YOLOv8Matrix(
      HeadTensor(output, boxes), labelCount: labelCount, prototypeCount: prototypeCount)
    let prototypes = try MaskPrototypes(output, prototypes)
    let sampling = GridSampling(geometry, prototypes.grid)
    return try zip(detections, detections.rows).map { (detection, row) throws(ModelError) in
      let columns = Self.pixels(from: detection.box.xmin, to: detection.box.xmax, sampling.width)
      let rows = Self.pixels(from: detection.box.ymin, to: detection.box.ymax, sampling.height)
      let sums = try prototypes.sum(matrix.weights.map { matrix[row, $0] })
      // The logistic function of a positive sum is above one half.
      return InstanceMask(
        detection: detection, left: columns.lowerBound, top: rows.lowerBound, width: columns.count,
        pixels: sampling.interpolated(sums, columns: columns, rows: rows).map { $0 > 0 })
    }
  }

  /// Returns the pixels whose centers are between two edges.
  private static func pixels(from low: Double, to high: Double, _ count: Int) -> Range<Int> {
    let first = Int(max(0, min((low - 0.5).rounded(.up), Double(count))))
    let end = Int(max(0, min((high - 0.5).rounded(.up), Double(count))))
    return first..<max(first, end)
  }
}
