import TensorIOBundle
import TensorIOCore

/// YOLO v8, v9, v11 and v12: `[1, 4 + classes, N]` or `[1, N, 4 + classes]`, without objectness.
struct YOLOv8Head: DetectionHead {
  static let name = "yolov8"
  static let hasScoresOutput = false
  static let defaults = HeadDefaults()

  private let activation: ScoreActivation
  private let boxOrder: DetectionOptions.BoxOrder
  private let labelCount: Int
  private let prototypeCount: Int

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .none)
    (boxOrder, labelCount) = (context.boxOrder, context.labelCount)
    prototypeCount = context.prototypeCount
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let matrix = try YOLOv8Matrix(
      tensors.boxes, labelCount: labelCount, prototypeCount: prototypeCount)
    var candidates = DetectionCandidates()
    activation.forEachBest(of: matrix.kernel, threshold: threshold, in: &candidates) {
      candidates, row, index, score in
      candidates.append(
        .init(
          row: row, index: index, score: score,
          box: BoundingBox(
            matrix[row, 0], matrix[row, 1], matrix[row, 2], matrix[row, 3], order: boxOrder)))
    }
    return candidates
  }
}
