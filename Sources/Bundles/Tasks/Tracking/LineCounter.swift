public import TensorIOImage

/// Counts the tracked objects that cross a line, in each direction.
///
/// ```swift
/// import TensorIO
///
/// var tracker = ObjectTracker()
/// var counter = LineCounter(from: .init(x: 0, y: 240), to: .init(x: 640, y: 240))
/// let car = BoundingBox(xmin: 10, ymin: 200, xmax: 60, ymax: 230)
/// counter.update(
///   with: tracker.update(with: [Detection(label: "car", index: 2, score: 0.9, box: car)]))
/// print(counter.leftToRight, counter.rightToLeft)
/// ```
public struct LineCounter: Sendable {
  /// The first end.
  public let start: AffineMap.Point
  /// The other end.
  public let end: AffineMap.Point
  /// The point of an object that crosses the line.
  public let point: TrackedPoint
  /// The number of crossings from the left to the right side, looking from the first end to the other.
  public private(set) var leftToRight = 0
  /// The number of crossings from the right to the left side, looking from the first end to the other.
  public private(set) var rightToLeft = 0
  /// The last position of each object that was not on the line.
  private var positions: ObjectMemory<AffineMap.Point>

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - start: The first end of the line, in pixels of the image.
  ///   - end: The other end.
  ///   - point: The point of an object that crosses the line.
  ///   - maxLostFrames: The number of frames for which an object can be absent.
  public init(
    from start: AffineMap.Point, to end: AffineMap.Point, point: TrackedPoint = .center,
    maxLostFrames: Int = 30
  ) {
    (self.start, self.end, self.point) = (start, end, point)
    positions = ObjectMemory(maxAbsentFrames: max(0, maxLostFrames))
  }

  /// Adds the objects of the next frame.
  public mutating func update(with objects: [TrackedObject]) {
    positions.advance()
    for object in objects where object.state == .detected {
      let current = point.point(of: object.detection.box)
      let side = side(of: current)
      // A point on the line has not crossed it yet.
      guard side != 0, side.isFinite else { continue }
      if let previous = positions[object.id], (self.side(of: previous) < 0) != (side < 0),
        crosses(from: previous, to: current)
      {
        if side > 0 { leftToRight += 1 } else { rightToLeft += 1 }
      }
      positions[object.id] = current
    }
  }

  /// Returns a positive number for points on the right side of the line, and a negative one for those on
  /// the left side.
  private func side(of point: AffineMap.Point) -> Double {
    Self.side(of: point, from: start, to: end)
  }

  private static func side(
    of point: AffineMap.Point, from start: AffineMap.Point, to end: AffineMap.Point
  ) -> Double {
    (end.x - start.x) * (point.y - start.y) - (end.y - start.y) * (point.x - start.x)
  }

  /// Returns whether the ends of the line are on different sides of a way, or on it.
  private func crosses(from previous: AffineMap.Point, to current: AffineMap.Point) -> Bool {
    let first = Self.side(of: start, from: previous, to: current)
    let second = Self.side(of: end, from: previous, to: current)
    return first <= 0 && second >= 0 || first >= 0 && second <= 0
  }
}
