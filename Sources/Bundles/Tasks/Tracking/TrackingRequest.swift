public import TensorIOImage

/// What to follow and to count in a stream.
public struct TrackingRequest: Sendable, Hashable {
  /// A line whose crossings are counted, in pixels of the image.
  public struct Line: Sendable, Hashable {
    /// The beginning.
    public let start: AffineMap.Point
    /// The end.
    public let end: AffineMap.Point

    /// Creates a line.
    public init(from start: AffineMap.Point, to end: AffineMap.Point) {
      (self.start, self.end) = (start, end)
    }
  }

  /// The lines whose crossings are counted.
  public var lines: [Line]
  /// The corners of the polygons in which objects are counted.
  public var zones: [[AffineMap.Point]]
  /// Whether an object can be detected as different classes.
  public var isClassAgnostic: Bool

  /// Creates a request.
  public init(
    lines: [Line] = [], zones: [[AffineMap.Point]] = [], isClassAgnostic: Bool = false
  ) {
    (self.lines, self.zones, self.isClassAgnostic) = (lines, zones, isClassAgnostic)
  }
}
