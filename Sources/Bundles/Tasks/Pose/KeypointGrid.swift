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

  init(height: Int, width: Int, keypointCount: Int) {
    (self.height, self.width, self.keypointCount) = (height, width, keypointCount)
  }

  var cellCount: Int { height * width }

  /// Returns the distances between cells in pixels of an input of the model.
  ///
  /// The cells of PoseNet include both edges of the image: 353 pixels are 23 cells of 16 pixels.
  func strides(in size: (width: Double, height: Double)) -> (x: Double, y: Double) {
    let stride = { (side: Double, cells: Int) in
      let inclusive = (side - 1) / Double(cells - 1)
      let isInclusive = cells > 1 && inclusive > 0 && inclusive == inclusive.rounded()
      return isInclusive ? inclusive : side / Double(cells)
    }
    return (stride(size.width, width), stride(size.height, height))
  }

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
