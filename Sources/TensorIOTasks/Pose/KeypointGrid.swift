import TensorIOBundle
import TensorIOCore

/// The shape of heat maps: a score per keypoint for each cell of a grid.
struct KeypointGrid {
  let height: Int
  let width: Int
  let keypointCount: Int

  init(_ tensor: PoseTensor) throws(ModelError) {
    let shape = tensor.dimensions
    guard (3...4).contains(shape.count), shape.count == 3 || shape[0] == 1, !shape.contains(0)
    else {
      throw tensor.wrongShape(expected: "the shape [h, w, keypoints] of scores")
    }
    (height, width) = (shape[shape.count - 3], shape[shape.count - 2])
    keypointCount = shape[shape.count - 1]
  }

  var cellCount: Int { height * width }

  /// Returns the position of a score.
  func index(_ cell: Int, _ keypoint: Int) -> Int { cell * keypointCount + keypoint }

  /// Returns the cell with the highest score of a keypoint; the first of equal scores, and NaN never.
  func strongestCell(of keypoint: Int, _ scores: [Float]) -> Int {
    var best = (cell: 0, score: -Float.infinity)
    for cell in 0..<cellCount where scores[index(cell, keypoint)] > best.score {
      best = (cell, scores[index(cell, keypoint)])
    }
    return best.cell
  }
}
