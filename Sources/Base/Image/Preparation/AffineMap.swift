/// An affine transformation of the plane:
/// `x′ = a·x + c·y + tx` and `y′ = b·x + d·y + ty`.
public struct AffineMap: Sendable, Hashable {
  /// The coefficient of x in x′.
  public var a: Double
  /// The coefficient of x in y′.
  public var b: Double
  /// The coefficient of y in x′.
  public var c: Double
  /// The coefficient of y in y′.
  public var d: Double
  /// The translation along x.
  public var tx: Double
  /// The translation along y.
  public var ty: Double

  /// Creates a map from its six coefficients.
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  /// The identity map.
  public static let identity = AffineMap(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// Returns the image of a point.
  public func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (x: a * x + c * y + tx, y: b * x + d * y + ty)
  }

  /// The inverse map, or `nil` if the map is singular.
  public var inverse: AffineMap? {
    let determinant = a * d - b * c
    guard determinant != 0, determinant.isFinite else { return nil }
    return AffineMap(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }
}

extension AffineMap {
  /// A point in an image.
  public struct Point: Sendable, Hashable {
    /// The distance from the left edge.
    public var x: Double
    /// The distance from the top edge.
    public var y: Double

    /// Creates a point from its coordinates.
    public init(x: Double, y: Double) {
      (self.x, self.y) = (x, y)
    }
  }

  /// Returns the translation, rotation and scaling that maps points to others with the smallest sum
  /// of squared distances.
  ///
  /// The map is exact for two points. The result is `nil` if there are fewer than two points, if
  /// the numbers of points differ, or if all source points coincide.
  public static func similarity(from source: [Point], to target: [Point]) -> AffineMap? {
    guard source.count == target.count, source.count > 1 else { return nil }
    let (from, to) = (source.centroid, target.centroid)
    var (along, across, spread) = (0.0, 0.0, 0.0)
    for (p, q) in zip(source, target) {
      let (px, py, qx, qy) = (p.x - from.x, p.y - from.y, q.x - to.x, q.y - to.y)
      along += px * qx + py * qy
      across += px * qy - py * qx
      spread += px * px + py * py
    }
    guard spread > 0, spread.isFinite else { return nil }
    let (a, b) = (along / spread, across / spread)
    return AffineMap(
      a: a, b: b, c: -b, d: a, tx: to.x - a * from.x + b * from.y,
      ty: to.y - b * from.x - a * from.y)
  }
}

extension [AffineMap.Point] {
  fileprivate var centroid: AffineMap.Point {
    let count = Double(count)
    return AffineMap.Point(
      x: reduce(0) { $0 + $1.x } / count, y: reduce(0) { $0 + $1.y } / count)
  }
}

extension ImageBuffer {
  /// Returns the upright image transformed by a map, with bilinear interpolation.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let photo = try ImageBuffer(contentsOf: "portrait.jpg")
  /// let eyes = [AffineMap.Point(x: 210, y: 180), AffineMap.Point(x: 290, y: 190)]
  /// let targets = [AffineMap.Point(x: 38, y: 51), AffineMap.Point(x: 73, y: 51)]
  /// if let map = AffineMap.similarity(from: eyes, to: targets) {
  ///   let face = try photo.warped(by: map, width: 112, height: 112)
  ///   try face.write(to: "face.png")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - map: The map from the upright image to the result.
  ///   - width: The width of the result.
  ///   - height: The height of the result.
  ///   - pad: The color of pixels that correspond to no pixel of the image.
  /// - Returns: An upright image of the given size, in the format of this image.
  /// - Throws: ``ImageError`` if the size is invalid or the map cannot be inverted.
  public func warped(
    by map: AffineMap, width: Int, height: Int, pad: PixelColor = .black
  ) throws(ImageError) -> ImageBuffer {
    try warped(by: map, width, height, BilinearSampler(upright(), padding: pad))
  }

  /// Returns the upright image transformed by a map, with bilinear interpolation; colors at the edges continue beyond the
  /// image.
  package func warpedExtendingEdges(
    by map: AffineMap, width: Int, height: Int
  ) throws(ImageError) -> ImageBuffer {
    try warped(by: map, width, height, BilinearSampler(upright(), padding: nil))
  }

  private func warped(
    by map: AffineMap, _ width: Int, _ height: Int, _ sampler: BilinearSampler
  ) throws(ImageError) -> ImageBuffer {
    try ImageLimits.validate(width: width, height: height)
    guard let inverse = map.inverse else {
      throw ImageError(.invalidSize(width: width, height: height))
    }
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * format.bytesPerPixel)
    for y in 0..<height {
      for x in 0..<width {
        let point = inverse.apply(Double(x) + 0.5, Double(y) + 0.5)
        sampler.append(point.x, point.y, to: &pixels)
      }
    }
    return try ImageBuffer(width: width, height: height, format: format, pixels: pixels)
  }
}

/// Samples an image between pixel centers.
private struct BilinearSampler {
  private let pixels: [UInt8]
  private let width: Int
  private let height: Int
  private let channels: Int
  /// The color beyond the image; `nil` for that of its edge.
  private let padding: [UInt8]?

  init(_ image: ImageBuffer, padding color: PixelColor?) {
    pixels = image.pixels
    (width, height, channels) = (image.width, image.height, image.format.bytesPerPixel)
    padding = color?.bytes(as: image.format)
  }

  func append(_ x: Double, _ y: Double, to bytes: inout [UInt8]) {
    if let padding, x < 0 || x >= Double(width) || y < 0 || y >= Double(height) {
      bytes += padding
      return
    }
    let x = min(max(x, 0), Double(width))
    let y = min(max(y, 0), Double(height))
    // Colors are located at pixel centers and are constant beyond the outermost centers.
    let (left, fractionX) = Self.split(x - 0.5)
    let (top, fractionY) = Self.split(y - 0.5)
    let (near, far) = (offset(ofColumn: left), offset(ofColumn: left + 1))
    let (high, low) = (offset(ofRow: top), offset(ofRow: top + 1))
    for channel in 0..<channels {
      let above = mix(high + near + channel, high + far + channel, fractionX)
      let below = mix(low + near + channel, low + far + channel, fractionX)
      bytes.append(UInt8((above + (below - above) * fractionY).rounded()))
    }
  }

  private func mix(_ one: Int, _ other: Int, _ fraction: Double) -> Double {
    let value = Double(pixels[one])
    return value + (Double(pixels[other]) - value) * fraction
  }

  private func offset(ofColumn column: Int) -> Int { min(max(column, 0), width - 1) * channels }

  private func offset(ofRow row: Int) -> Int { min(max(row, 0), height - 1) * width * channels }

  private static func split(_ value: Double) -> (whole: Int, fraction: Double) {
    let whole = value.rounded(.down)
    return (Int(whole), value - whole)
  }
}
