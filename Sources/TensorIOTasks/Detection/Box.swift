/// An upright rectangle of a picture, in pixels from its upper left corner.
public struct Box: Sendable, Hashable {
  /// Its left edge.
  public var xmin: Double
  /// Its upper edge.
  public var ymin: Double
  /// Its right edge.
  public var xmax: Double
  /// Its lower edge.
  public var ymax: Double

  /// A rectangle by its edges.
  public init(xmin: Double, ymin: Double, xmax: Double, ymax: Double) {
    (self.xmin, self.ymin, self.xmax, self.ymax) = (xmin, ymin, xmax, ymax)
  }

  /// From its left to its right edge; 0 for one that is turned inside out.
  public var width: Double { max(0, xmax - xmin) }
  /// From its upper to its lower edge; 0 for one that is turned inside out.
  public var height: Double { max(0, ymax - ymin) }
  /// How many pixels it covers.
  public var area: Double { width * height }

  /// What two rectangles have in common; without area where they have nothing.
  public func intersection(_ other: Box) -> Box {
    Box(
      xmin: max(xmin, other.xmin), ymin: max(ymin, other.ymin), xmax: min(xmax, other.xmax),
      ymax: min(ymax, other.ymax))
  }

  /// How much of what two rectangles cover together they have in common: from 0, nothing, to 1,
  /// everything.
  public func intersectionOverUnion(_ other: Box) -> Double {
    let common = intersection(other).area
    let whole = area + other.area - common
    return whole > 0 ? common / whole : 0
  }

  var isFinite: Bool {
    xmin.isFinite && ymin.isFinite && xmax.isFinite && ymax.isFinite
  }
}
