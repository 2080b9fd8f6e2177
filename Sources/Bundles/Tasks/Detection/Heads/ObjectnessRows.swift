import TensorIOBundle
import TensorIOCore

/// A matrix with a row per box: four numbers, the objectness and the score of each class.
struct ObjectnessRows {
  private let values: [Float]
  let rows: Int
  private let columns: Int

  init(_ tensor: HeadTensor, head: String) throws(ModelError) {
    (rows, columns) = try tensor.matrix("[1, N, 5 + classes]", head: head, minColumns: 6)
    values = tensor.values
  }

  /// Returns the objects whose objectness times the score of their best class reaches a threshold.
  ///
  /// - Parameters:
  ///   - activation: The activation of scores and objectness.
  ///   - threshold: The minimum product.
  ///   - box: Returns the box of a row, given the index of its first number.
  /// - Returns: The objects.
  func candidates(
    _ activation: ScoreActivation, threshold: Float,
    box: (_ row: Int, _ first: Int) -> BoundingBox
  ) -> DetectionCandidates {
    let kernel = BestClassKernel(rowsOf: values, rows: rows, columns: columns, scores: 5..<columns)
    let best = kernel.bestScores()
    var candidates = DetectionCandidates()
    for row in 0..<rows {
      let first = row * columns
      let objectness = activation.single(values[first + 4])
      guard best[row] > -.infinity, !objectness.isNaN else {
        candidates.nonfiniteCount += 1
        continue
      }
      let score = objectness * activation.single(best[row])
      guard score >= threshold || score.isNaN, let index = kernel.index(of: best[row], row: row)
      else { continue }
      candidates.append(.init(row: row, index: index, score: score, box: box(row, first)))
    }
    return candidates
  }
}
