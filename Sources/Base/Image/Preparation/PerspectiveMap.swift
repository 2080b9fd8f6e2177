import TensorIOSystem

/// A projective map of the plane, which takes a rectangle to any convex quadrilateral.
package struct PerspectiveMap: Sendable, Hashable {
  private let (a, b, c): (Double, Double, Double)
  private let (d, e, f): (Double, Double, Double)
  private let (g, h): (Double, Double)

  /// Creates the map from the rectangle of an image to a quadrilateral; `nil` if three of the corners are on a line.
  ///
  /// - Parameters:
  ///   - width: The width of the rectangle, whose upper left corner is the origin.
  ///   - height: The height of the rectangle.
  ///   - corners: The corners of the quadrilateral: those of the upper left, upper right, lower right and lower left one.
  package init?(fromWidth width: Double, height: Double, to corners: [AffineMap.Point]) {
    guard corners.count == 4, width > 0, height > 0 else { return nil }
    let (p, q, r, s) = (corners[0], corners[1], corners[2], corners[3])
    let (x1, y1, x2, y2) = (q.x - r.x, q.y - r.y, s.x - r.x, s.y - r.y)
    let (x3, y3) = (p.x - q.x + r.x - s.x, p.y - q.y + r.y - s.y)
    let determinant = x1 * y2 - x2 * y1
    guard determinant != 0, determinant.isFinite else { return nil }
    let across = (x3 * y2 - x2 * y3) / determinant
    let down = (x1 * y3 - x3 * y1) / determinant
    (a, b, c) = ((q.x - p.x + across * q.x) / width, (s.x - p.x + down * s.x) / height, p.x)
    (d, e, f) = ((q.y - p.y + across * q.y) / width, (s.y - p.y + down * s.y) / height, p.y)
    (g, h) = (across / width, down / height)
  }

  /// Returns the image of a point.
  package func apply(_ x: Double, _ y: Double) -> AffineMap.Point {
    let scale = g * x + h * y + 1
    return AffineMap.Point(x: (a * x + b * y + c) / scale, y: (d * x + e * y + f) / scale)
  }
}

extension ImageBuffer {
  /// Returns the content of a quadrilateral of the upright image as a rectangle, with bicubic interpolation; colors at the
  /// edges continue beyond the image.
  ///
  /// The pixels are those of OpenCV's `warpPerspective`, with which models for lines of text are trained.
  ///
  /// - Parameters:
  ///   - map: The map from the rectangle to the upright image.
  ///   - width: The width of the rectangle.
  ///   - height: The height of the rectangle.
  /// - Returns: The rectangle, in the format of this image.
  /// - Throws: ``ImageError`` if the size is invalid.
  package func extracted(
    by map: PerspectiveMap, width: Int, height: Int
  ) throws(ImageError) -> ImageBuffer {
    try ImageLimits.validate(width: width, height: height)
    let source = upright()
    let channels = format.bytesPerPixel
    let (right, bottom, stride) = (source.width - 1, source.height - 1, source.bytesPerRow)
    var pixels = [UInt8](repeating: 0, count: width * height * channels)
    var target = pixels.mutableSpan
    let bytes = source.storage.span
    var index = 0
    for y in 0..<height {
      for x in 0..<width {
        let point = map.apply(Double(x), Double(y))
        // A point far away has the color of the edge, also if it is not a number.
        let (px, py) = (Self.clamped(point.x, right), Self.clamped(point.y, bottom))
        let (left, top) = (px.rounded(.down), py.rounded(.down))
        let (column, row) = (Int(left), Int(top))
        let (wx, wy) = (Self.cubicWeights(px - left), Self.cubicWeights(py - top))
        let columns =
          SIMD4<Int>(column - 1, column, column + 1, column + 2)
          .clamped(lowerBound: .zero, upperBound: SIMD4(repeating: right)) &* channels
        let rows =
          SIMD4<Int>(row - 1, row, row + 1, row + 2)
          .clamped(lowerBound: .zero, upperBound: SIMD4(repeating: bottom)) &* stride
        for channel in 0..<channels {
          var sum = 0.0
          for line in 0..<4 {
            let start = source.offset + rows[line] + channel
            let values = SIMD4<Double>(
              Double(bytes[start + columns[0]]), Double(bytes[start + columns[1]]),
              Double(bytes[start + columns[2]]), Double(bytes[start + columns[3]]))
            sum += wy[line] * (wx * values).sum()
          }
          target[index] = UInt8(min(max((sum + 0.5).rounded(.down), 0), 255))
          index += 1
        }
      }
    }
    return try ImageBuffer(width: width, height: height, format: format, pixels: pixels)
  }

  private static func clamped(_ value: Double, _ limit: Int) -> Double {
    // A value that is no number is not above the bound either.
    value > -4 ? min(value, Double(limit) + 4) : -4
  }

  /// Returns the weights of four pixels, of which the second is the one before the point: cubic convolution with a = −¾.
  private static func cubicWeights(_ fraction: Double) -> SIMD4<Double> {
    let a = -0.75
    func near(_ t: Double) -> Double { ((a + 2) * t - (a + 3)) * t * t + 1 }
    func far(_ t: Double) -> Double { ((a * t - 5 * a) * t + 8 * a) * t - 4 * a }
    return SIMD4(
      far(1 + fraction), near(fraction), near(1 - fraction), far(2 - fraction))
  }
}
