import TensorIOSystem

/// Random masks of an image, for randomized input sampling (RISE).
struct RandomMasks: Sendable {
  /// The width of a mask.
  let width: Int
  /// The height of a mask.
  let height: Int
  /// The number of cells along an axis.
  let cells: Int
  /// The probability that a cell is visible.
  let probability: Double
  /// The seed.
  let seed: UInt64

  /// Returns a mask: a random grid of cells that are enlarged bilinearly to one cell more than the image, cut at a random
  /// offset.
  ///
  /// - Parameter index: The number of the mask, which determines it.
  /// - Returns: A number from 0 (covered) to 1 (visible) for each pixel, in rows.
  func mask(at index: Int) -> [Double] {
    var random = SplitMix64(seed: seed, stream: UInt64(index))
    // An offset reaches into one more cell, which ends at another corner.
    let side = cells + 2
    let grid = (0..<side * side).map { _ in random.nextUnit() < probability ? 1.0 : 0.0 }
    let columns = axis(width, &random)
    let rows = axis(height, &random)
    var mask: [Double] = []
    mask.reserveCapacity(width * height)
    for (row, down) in rows {
      for (column, right) in columns {
        let upper = row * side + column
        let lower = upper + side
        mask.append(
          (grid[upper] * (1 - right) + grid[upper + 1] * right) * (1 - down)
            + (grid[lower] * (1 - right) + grid[lower + 1] * right) * down)
      }
    }
    return mask
  }

  /// Returns the cell of each pixel along an axis, and the position within it.
  private func axis(
    _ length: Int, _ random: inout SplitMix64
  ) -> [(cell: Int, fraction: Double)] {
    let size = (length + cells - 1) / cells
    let offset = random.next(below: size)
    return (0..<length).map { pixel in
      let position = Double(pixel + offset) / Double(size)
      let cell = min(Int(position), cells)
      return (cell, position - Double(cell))
    }
  }

  /// Adds the score of an image seen through a mask to the sums of each pixel.
  static func add(_ score: Double, of mask: [Double], to sums: inout [Double]) {
    for index in sums.indices { sums[index] += score * mask[index] }
  }
}
