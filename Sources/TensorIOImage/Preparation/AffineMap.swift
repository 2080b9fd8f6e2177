/// A map of the plane that keeps lines straight and parallel:
/// `x′ = a·x + c·y + tx` and `y′ = b·x + d·y + ty`.
public struct AffineMap: Sendable, Hashable {
  /// What x adds to x.
  public var a: Double
  /// What x adds to y.
  public var b: Double
  /// What y adds to x.
  public var c: Double
  /// What y adds to y.
  public var d: Double
  /// Where x begins.
  public var tx: Double
  /// Where y begins.
  public var ty: Double

  /// A map by its six numbers.
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  /// The map that leaves every point where it is.
  public static let identity = AffineMap(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// Where the map puts a point.
  public func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (x: a * x + c * y + tx, y: b * x + d * y + ty)
  }

  /// The map back, or `nil` for one that makes the plane a line.
  public var inverse: AffineMap? {
    let determinant = a * d - b * c
    guard determinant != 0, determinant.isFinite else { return nil }
    return AffineMap(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }
}

extension AffineMap {
  /// A place in a picture.
  public struct Point: Sendable, Hashable {
    /// From the left.
    public var x: Double
    /// From the top.
    public var y: Double

    /// A place by its coordinates.
    public init(x: Double, y: Double) {
      (self.x, self.y) = (x, y)
    }
  }

  /// The map that shifts, turns and scales points to where others are, as nearly as it can: the
  /// sum of the squared distances that remain is the least.
  ///
  /// Of two points on each side, none remains. It is `nil` for fewer than two points, as many on
  /// one side as on the other, or where all are one.
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
  /// The upright picture as a map puts it into a frame, its pixels interpolated between the four
  /// around them.
  ///
  ///     let map = AffineMap.similarity(from: [leftEye, rightEye], to: [left, right])
  ///     let face = try map.map { try picture.warped(by: $0, width: 112, height: 112) }
  ///
  /// The map goes from the picture to the frame. What it brings from outside of the picture has the
  /// colour of the padding.
  public func warped(
    by map: AffineMap, width: Int, height: Int, pad: PixelColor = .black
  ) throws(ImageError) -> ImageBuffer {
    try ImageLimits.validate(width: width, height: height)
    guard let inverse = map.inverse else {
      throw ImageError(.invalidSize(width: width, height: height))
    }
    let sampler = BilinearSampler(upright(), padding: pad)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * format.bytesPerPixel)
    for y in 0..<height {
      for x in 0..<width {
        let place = inverse.apply(Double(x) + 0.5, Double(y) + 0.5)
        sampler.append(place.x, place.y, to: &pixels)
      }
    }
    return try ImageBuffer(width: width, height: height, format: format, pixels: pixels)
  }
}

/// Reads the colours between the pixels of a picture.
private struct BilinearSampler {
  private let pixels: [UInt8]
  private let width: Int
  private let height: Int
  private let channels: Int
  private let padding: [UInt8]

  init(_ image: ImageBuffer, padding color: PixelColor) {
    pixels = image.pixels
    (width, height, channels) = (image.width, image.height, image.format.bytesPerPixel)
    padding = color.bytes(as: image.format)
  }

  func append(_ x: Double, _ y: Double, to bytes: inout [UInt8]) {
    guard x >= 0, x < Double(width), y >= 0, y < Double(height) else {
      bytes += padding
      return
    }
    // Pixels have their colour at their centre; beyond the outermost centres it goes on.
    let (left, shareX) = Self.split(x - 0.5)
    let (top, shareY) = Self.split(y - 0.5)
    let (near, far) = (offset(ofColumn: left), offset(ofColumn: left + 1))
    let (high, low) = (offset(ofRow: top), offset(ofRow: top + 1))
    for channel in 0..<channels {
      let above = mix(high + near + channel, high + far + channel, shareX)
      let below = mix(low + near + channel, low + far + channel, shareX)
      bytes.append(UInt8((above + (below - above) * shareY).rounded()))
    }
  }

  private func mix(_ one: Int, _ other: Int, _ share: Double) -> Double {
    let value = Double(pixels[one])
    return value + (Double(pixels[other]) - value) * share
  }

  private func offset(ofColumn column: Int) -> Int { min(max(column, 0), width - 1) * channels }

  private func offset(ofRow row: Int) -> Int { min(max(row, 0), height - 1) * width * channels }

  private static func split(_ value: Double) -> (whole: Int, share: Double) {
    let whole = value.rounded(.down)
    return (Int(whole), value - whole)
  }
}
