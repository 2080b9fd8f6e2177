import TensorIOBundle
import TensorIOCore
import TensorIOImage

/// Decodes the masks of detected objects: weighted sums of prototypes, cut at the boxes.
struct InstanceMaskDecoder: Sendable {
  private let boxes: String
  private let prototypes: String
  private let (labelCount, prototypeCount): (Int, Int)

  /// Creates a decoder for the outputs of a model.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - boxes: The output with the boxes and the weights of prototypes.
  ///   - prototypes: The output with the prototypes.
  /// - Throws: A ``ModelError`` if the labels cannot be read.
  init(_ model: ModelInfo, boxes: String, prototypes: String) throws(ModelError) {
    (self.boxes, self.prototypes) = (boxes, prototypes)
    labelCount = try model.labels().count
    prototypeCount = MaskPrototypes.count(in: model.outputs)
  }

  /// Returns the masks of detections, in their order.
  func masks(
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
        pixels: sampling.interpolated(sums, columns: columns, rows: rows) { $0 > 0 })
    }
  }

  /// Returns the pixels whose centers are between two edges.
  private static func pixels(from low: Double, to high: Double, _ count: Int) -> Range<Int> {
    let first = Int(max(0, min((low - 0.5).rounded(.up), Double(count))))
    let end = Int(max(0, min((high - 0.5).rounded(.up), Double(count))))
    return first..<max(first, end)
  }
}
