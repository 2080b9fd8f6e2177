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

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .none)
    (boxOrder, labelCount) = (context.boxOrder, context.labelCount)
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let tensor = tensors.boxes
    let (rows, columns) = try tensor.matrix(
      "[1, 4 + classes, N] or [1, N, 4 + classes]", head: Self.name, minColumns: 0)
    // The labels decide which axis is which; without them, there are fewer classes than boxes.
    let hasColumns =
      (rows == 4 + labelCount) == (columns == 4 + labelCount)
      ? rows <= columns : rows == 4 + labelCount
    guard (hasColumns ? rows : columns) > 4 else {
      throw tensor.mismatch(
        "the head \(Self.name) needs four numbers and at least one class for each box")
    }
    let kernel =
      hasColumns
      ? BestClassKernel(columnsOf: tensor.values, rows: rows, columns: columns, firstRow: 4)
      : BestClassKernel(rowsOf: tensor.values, rows: rows, columns: columns, scores: 4..<columns)
    let (numberStride, boxStride) = hasColumns ? (columns, 1) : (1, columns)
    let values = tensor.values
    var candidates = DetectionCandidates()
    activation.forEachBest(of: kernel, threshold: threshold, in: &candidates) {
      candidates, row, index, score in
      let first = row * boxStride
      candidates.append(
        .init(
          row: row, index: index, score: score,
          box: BoundingBox(
            values[first], values[first + numberStride], values[first + 2 * numberStride],
            values[first + 3 * numberStride], order: boxOrder)))
    }
    return candidates
  }
}
