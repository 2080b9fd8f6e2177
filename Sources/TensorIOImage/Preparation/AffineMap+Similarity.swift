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
    let (from, to) = (source.centre, target.centre)
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
  fileprivate var centre: AffineMap.Point {
    let count = Double(count)
    return AffineMap.Point(
      x: reduce(0) { $0 + $1.x } / count, y: reduce(0) { $0 + $1.y } / count)
  }
}
