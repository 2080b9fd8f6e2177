extension Canvas {
  /// A place on a canvas.
  public struct Point: Sendable, Hashable {
    /// From the left.
    public var x: Double
    /// From the top.
    public var y: Double

    /// A place, from the upper left corner.
    public init(x: Double, y: Double) {
      self.x = x
      self.y = y
    }
  }

  /// A rectangle on a canvas.
  public struct Rectangle: Sendable, Hashable {
    /// Its left edge.
    public var x: Double
    /// Its upper edge.
    public var y: Double
    /// From its left to its right edge.
    public var width: Double
    /// From its upper to its lower edge.
    public var height: Double

    /// A rectangle with its upper left corner at a place.
    public init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }

    /// Its right edge.
    public var maxX: Double { x + width }

    /// Its lower edge.
    public var maxY: Double { y + height }

    /// The rectangle that is smaller by as much on each side.
    public func inset(by distance: Double) -> Rectangle {
      Rectangle(
        x: x + distance, y: y + distance, width: width - 2 * distance, height: height - 2 * distance
      )
    }
  }
}

// Cairo counts in 24 bits before the point, and what is not a number breaks its paths. Coordinates
// come from models, so nothing is taken for granted.
extension Canvas {
  /// How far outside of the canvas a shape may reach.
  static let reach = 1_000_000.0

  static func isDrawable(_ values: Double...) -> Bool {
    values.allSatisfy { $0.isFinite && abs($0) <= reach }
  }
}

extension Canvas.Rectangle {
  /// The part of the rectangle that can matter; `nil` for what is not a rectangle.
  var drawable: Canvas.Rectangle? {
    guard x.isFinite, y.isFinite, width.isFinite, height.isFinite, width > 0, height > 0 else {
      return nil
    }
    let (left, right) = (max(x, -Canvas.reach), min(maxX, Canvas.reach))
    let (top, bottom) = (max(y, -Canvas.reach), min(maxY, Canvas.reach))
    guard left < right, top < bottom else { return nil }
    return Canvas.Rectangle(x: left, y: top, width: right - left, height: bottom - top)
  }
}
