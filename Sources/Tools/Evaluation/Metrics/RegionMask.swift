/// The pixels of an object, as runs of pixels row by row.
package struct RegionMask: Sendable, Hashable {
  /// The runs of pixels, in ascending order.
  private let runs: [Range<Int>]
  /// The number of pixels.
  package let area: Int

  /// Creates a mask from whether each pixel of an image belongs to the object, row by row.
  package init(_ pixels: some Sequence<Bool>) {
    var runs: [Range<Int>] = []
    var (index, start): (Int, Int?) = (0, nil)
    for pixel in pixels {
      if pixel {
        start = start ?? index
      } else if let first = start {
        runs.append(first..<index)
        start = nil
      }
      index += 1
    }
    if let start { runs.append(start..<index) }
    self.runs = runs
    area = runs.reduce(0) { $0 + $1.count }
  }

  /// Creates a mask from a region of an image.
  ///
  /// - Parameters:
  ///   - pixels: Whether each pixel of the region belongs to the object, row by row.
  ///   - width: The number of columns of the region.
  ///   - left: The column of the image in which the region begins.
  ///   - top: The row of the image in which the region begins.
  ///   - imageWidth: The number of columns of the image.
  package init(region pixels: [Bool], width: Int, left: Int, top: Int, imageWidth: Int) {
    var runs: [Range<Int>] = []
    for row in 0..<(width > 0 ? pixels.count / width : 0) {
      let offset = (top + row) * imageWidth + left
      for column in 0..<width where pixels[row * width + column] {
        let pixel = offset + column
        if let last = runs.last, last.upperBound == pixel {
          runs[runs.count - 1] = last.lowerBound..<pixel + 1
        } else {
          runs.append(pixel..<pixel + 1)
        }
      }
    }
    self.runs = runs
    area = runs.reduce(0) { $0 + $1.count }
  }

  /// Returns the number of pixels that two masks have in common.
  package func intersectionArea(_ other: RegionMask) -> Int {
    var (area, a, b) = (0, 0, 0)
    while a < runs.count, b < other.runs.count {
      let (first, second) = (runs[a], other.runs[b])
      area += max(
        0, min(first.upperBound, second.upperBound) - max(first.lowerBound, second.lowerBound))
      if first.upperBound < second.upperBound { a += 1 } else { b += 1 }
    }
    return area
  }
}
