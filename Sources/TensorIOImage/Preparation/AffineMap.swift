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
