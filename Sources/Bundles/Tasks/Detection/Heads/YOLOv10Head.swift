import TensorIOBundle
import TensorIOCore

/// YOLO v10 and v26: `[1, N, 6]` with left, top, right, bottom, score and class, without duplicates.
struct YOLOv10Head: DetectionHead {
  static let name = "yolov10"
  static let hasScoresOutput = false
  static let defaults = HeadDefaults(boxOrder: .xyxy, iouThreshold: nil)

  private let activation: ScoreActivation
  private let boxOrder: DetectionOptions.BoxOrder

  init(_ context: HeadContext) throws(ModelError) {
    boxOrder = context.boxOrder
    activation = try ScoreActivation(context, default: .none)
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let tensor = tensors.boxes
    let (rows, columns) = try tensor.matrix("[1, N, 6]", head: Self.name, minColumns: 6)
    guard columns == 6 else { throw tensor.mismatch("the head \(Self.name) needs [1, N, 6]") }
    let values = tensor.values
    var candidates = DetectionCandidates()
    for row in 0..<rows {
      let first = row * 6
      let score = activation.single(values[first + 4])
      guard let index = Int(exactly: values[first + 5].rounded()), !score.isNaN else {
        candidates.nonfiniteCount += 1
        continue
      }
      guard score >= threshold else { continue }
      candidates.append(
        .init(
          row: row, index: index, score: score,
          box: BoundingBox(
            values[first], values[first + 1], values[first + 2], values[first + 3],
            order: boxOrder)))
    }
    return candidates
  }
}
