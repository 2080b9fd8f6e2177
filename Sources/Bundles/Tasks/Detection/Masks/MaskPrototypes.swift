import TensorIOBundle
import TensorIOCore

/// The grids whose weighted sums are the masks of objects.
struct MaskPrototypes {
  let grid: ScoreGrid
  private let values: [Float]
  private let name: String

  /// Reads the output with the prototypes.
  init(_ output: ModelOutput, _ name: String) throws(ModelError) {
    let tensor = try output.tensor(name)
    let layout: ImageLayout = Self.hasPlanes(tensor.shape) ? .channelsFirst : .channelsLast
    grid = try ScoreGrid(tensor, layout, layer: name)
    values = try tensor.floats(ofLayer: name)
    self.name = name
  }

  /// Returns the weighted sum of the prototypes for each cell.
  func sum(_ weights: [Float]) throws(ModelError) -> [Float] {
    guard weights.count == grid.classCount else {
      throw ModelError(
        .output, .wrongCount(expected: weights.count, actual: grid.classCount), layer: name)
    }
    var sums = [Float](repeating: 0, count: grid.width * grid.height)
    for (index, weight) in weights.enumerated() {
      var position = index * grid.scoreStride
      for cell in sums.indices {
        sums[cell] += weight * values[position]
        position += grid.cellStride
      }
    }
    return sums
  }

  /// Returns the number of prototypes that a model declares; 0 if it has none.
  static func count(in outputs: [Layer]) -> Int {
    guard let layer = outputs.first(where: { $0.role == .prototypes }) else { return 0 }
    return count(inShape: layer.shape.singleItemDimensions)
  }

  /// Returns the number of prototypes in a tensor; 0 if it has fewer than three dimensions.
  static func count(inShape shape: [Int]) -> Int {
    guard shape.count >= 3 else { return 0 }
    return hasPlanes(shape) ? shape[shape.count - 3] : shape[shape.count - 1]
  }

  /// Whether each prototype is a plane, `[prototypes, h, w]`.
  ///
  /// Otherwise, all prototypes of a cell are adjacent. A grid is square, or larger than the number of
  /// prototypes.
  private static func hasPlanes(_ shape: [Int]) -> Bool {
    guard shape.count >= 3 else { return true }
    let (first, second, third) = (
      shape[shape.count - 3], shape[shape.count - 2], shape[shape.count - 1]
    )
    return first == second ? false : second == third || first < third
  }
}
