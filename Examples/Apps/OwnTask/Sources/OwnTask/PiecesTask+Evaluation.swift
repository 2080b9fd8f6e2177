import TensorIO
import TensorIOEvaluation

/// Scores for tables with the number of pieces in each image, beside those of data with boxes.
extension PiecesTask: EvaluatedTask {
  static let groundTruth = [GroundTruthColumn.number("count")]

  func scores(
    of pieces: Pieces, groundTruth: [String: LayerValue]
  ) throws(ModelError) -> [String: Double] {
    let error = Double(pieces.content.count) - (groundTruth["count"]?.number ?? .nan)
    return ["count_error": abs(error), "count_exact": error == 0 ? 1 : 0]
  }
}
