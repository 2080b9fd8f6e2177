import TensorIOBundle
import TensorIOCore

/// Detectors with decoded boxes `[1, N, 4]` and scores `[1, N, classes]`, such as Ultraface.
struct PriorDecodedHead: DetectionHead {
  static let name = "prior-decoded"
  static let hasScoresOutput = true
  static let defaults = HeadDefaults(coordinates: .normalized, boxOrder: .xyxy)

  private let activation: ScoreActivation
  private let boxOrder: DetectionOptions.BoxOrder

  init(_ context: HeadContext) throws(ModelError) {
    activation = try ScoreActivation(context, default: .none, comparesClasses: true)
    boxOrder = context.boxOrder
  }

  func candidates(
    in tensors: HeadTensors, threshold: Float
  ) throws(ModelError) -> DetectionCandidates {
    let rows = try ScoredRows(tensors, activation.background, head: Self.name)
    guard rows.columns == 4 else {
      throw tensors.boxes.mismatch("the head \(Self.name) needs boxes of the shape [1, N, 4]")
    }
    let values = tensors.boxes.values
    var candidates = DetectionCandidates()
    activation.forEachBest(of: rows.kernel, threshold: threshold, in: &candidates) {
      candidates, row, index, score in
      let first = row * 4
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

/// Boxes and scores in two outputs with the same number of rows.
struct ScoredRows {
  let rows: Int
  /// The number of columns of the boxes, at least four.
  let columns: Int
  let kernel: BestClassKernel

  init(
    _ tensors: HeadTensors, _ background: ScoreActivation.BackgroundClass, head: String
  ) throws(ModelError) {
    guard let scores = tensors.scores else {
      throw tensors.boxes.mismatch("the head \(head) needs an output with the role scores")
    }
    (rows, columns) = try tensors.boxes.matrix("[1, N, 4 or more]", head: head, minColumns: 4)
    // A single class may lack its axis.
    let classCount = rows > 0 ? scores.values.count / rows : 0
    let hasClassAxis = scores.shape.count == 2 && scores.shape[0] == rows
    guard rows == 0 || classCount > 0, classCount * rows == scores.values.count,
      hasClassAxis || classCount == 1
    else {
      throw scores.mismatch(
        "the head \(head) needs scores of the shape [1, \(rows), classes], one row per box")
    }
    let firstClass = background == .first ? 1 : 0
    let end = background == .last ? classCount - 1 : classCount
    guard firstClass < end else {
      throw scores.mismatch("the head \(head) needs a class other than the background")
    }
    kernel = BestClassKernel(
      rowsOf: scores.values, rows: rows, columns: classCount, scores: firstClass..<end,
      firstClass: firstClass)
  }
}
