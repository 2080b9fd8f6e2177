import TensorIOBundle
import TensorIOCore

/// The oriented boxes of YOLO v8 and v11: `[1, 5 + classes, N]` or `[1, N, 5 + classes]`; the last number
/// is the angle in radians.
struct YOLOv8OrientedHead: DetectionHead {
  static let name = "yolov8-obb"
  static let hasScoresOutput = false
  static let defaults = HeadDefaults()

  private let activation: ScoreActivation
  private let labelCount: Int

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .none)
    labelCount = context.labelCount
    guard context.boxOrder == .cxcywh,
      DetectionOptions(context.task).suppression != .weighted
    else {
      throw context.error(
        "the head yolov8-obb has boxes in the order cxcywh, which suppression does not average")
    }
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let matrix = try YOLOv8Matrix(
      tensors.boxes, labelCount: labelCount, prototypeCount: 1, head: Self.name)
    let angle = matrix.weights.lowerBound
    var candidates = DetectionCandidates()
    activation.forEachBest(of: matrix.kernel, threshold: threshold, in: &candidates) {
      candidates, row, index, score in
      candidates.append(
        .init(
          row: row, index: index, score: score,
          box: BoundingBox(
            matrix[row, 0], matrix[row, 1], matrix[row, 2], matrix[row, 3], order: .cxcywh),
          angle: Double(matrix[row, angle])))
    }
    return candidates
  }
}
