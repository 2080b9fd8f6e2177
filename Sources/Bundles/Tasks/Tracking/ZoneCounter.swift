public import TensorIOImage

/// Counts the tracked objects that enter and leave a polygon.
///
/// ```swift
/// import TensorIO
///
/// var tracker = ObjectTracker()
/// var counter = ZoneCounter([.init(x: 0, y: 0), .init(x: 99, y: 0), .init(x: 50, y: 99)])
/// let car = BoundingBox(xmin: 40, ymin: 20, xmax: 60, ymax: 30)
/// counter.update(
///   with: tracker.update(with: [Detection(label: "car", index: 2, score: 0.9, box: car)]))
/// print(counter.inside, counter.entered, counter.exited)  // 1 1 0
/// ```
public struct ZoneCounter: Sendable {
  /// The corners of the polygon, in pixels of the image.
  public let corners: [AffineMap.Point]
  /// The point of an object that is in the polygon.
  public let point: TrackedPoint
  /// The number of objects in the polygon in the last frame.
  public private(set) var inside = 0
  /// The number of times an object entered the polygon or appeared in it.
  public private(set) var entered = 0
  /// The number of times an object left the polygon; those that disappear in it are not counted.
  public private(set) var exited = 0
  /// Whether each object was in the polygon.
  private var wasInside: ObjectMemory<Bool>

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - corners: The corners of the polygon, in pixels of the image.
  ///   - point: The point of an object that is in the polygon.
  ///   - maxLostFrames: The number of frames for which an object can be absent.
  public init(
    _ corners: [AffineMap.Point], point: TrackedPoint = .center, maxLostFrames: Int = 30
  ) {
    (self.corners, self.point) = (corners, point)
    wasInside = ObjectMemory(maxAbsentFrames: max(0, maxLostFrames))
  }

  /// Adds the objects of the next frame.
  public mutating func update(with objects: [TrackedObject]) {
    wasInside.advance()
    inside = 0
    for object in objects where object.state == .detected {
      let isInside = contains(point.point(of: object.detection.box))
      let wasInside = wasInside[object.id] ?? false
      if isInside { inside += 1 }
      if isInside, !wasInside { entered += 1 }
      if !isInside, wasInside { exited += 1 }
      self.wasInside[object.id] = isInside
    }
  }

  /// Returns whether a point is in the polygon; overlapping parts of it are outside.
  public func contains(_ point: AffineMap.Point) -> Bool {
    guard var previous = corners.last else { return false }
    var isInside = false
    for corner in corners {
      defer { previous = corner }
      guard (corner.y > point.y) != (previous.y > point.y) else { continue }
      let share = (point.y - corner.y) / (previous.y - corner.y)
      if point.x < corner.x + share * (previous.x - corner.x) { isInside.toggle() }
    }
    return isInside
  }
}
