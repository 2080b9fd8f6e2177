/// How much the score of an image falls where windows of it are covered.
enum OcclusionMap {
  /// A rectangle of pixels.
  struct Window: Sendable, Hashable {
    let x, y, width, height: Int
  }

  /// Returns the windows of an image: in steps, the last one flush with the edge.
  static func windows(width: Int, height: Int, side: Int, stride: Int) -> [Window] {
    let (windowWidth, windowHeight) = (min(side, width), min(side, height))
    return starts(height, windowHeight, stride).flatMap { y in
      starts(width, windowWidth, stride).map { x in
        Window(x: x, y: y, width: windowWidth, height: windowHeight)
      }
    }
  }

  private static func starts(_ length: Int, _ window: Int, _ step: Int) -> [Int] {
    let last = length - window
    let regular = Array(Swift.stride(from: 0, through: last, by: step))
    return last % step == 0 ? regular : regular + [last]
  }

  /// Returns the mean fall of the score over the windows that cover each pixel; 0 where none does.
  ///
  /// - Parameters:
  ///   - windows: The windows.
  ///   - scores: The score of the image with each window covered.
  ///   - base: The score of the image.
  ///   - width: The width of the image.
  ///   - height: The height of the image.
  /// - Returns: A number for each pixel, in rows.
  static func values(
    _ windows: [Window], scores: [Double], base: Double, width: Int, height: Int
  ) -> [Double] {
    var sums = [Double](repeating: 0, count: width * height)
    var counts = [Double](repeating: 0, count: width * height)
    for (window, score) in zip(windows, scores) {
      for y in window.y..<window.y + window.height {
        for index in y * width + window.x..<y * width + window.x + window.width {
          sums[index] += base - score
          counts[index] += 1
        }
      }
    }
    return zip(sums, counts).map { $1 > 0 ? $0 / $1 : 0 }
  }
}
