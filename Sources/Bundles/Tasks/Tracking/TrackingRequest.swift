package import TensorIOImage

/// What to follow and to count in a stream.
package struct TrackingRequest: Sendable, Hashable {
  /// A line whose crossings are counted, in pixels of the image.
  package struct Line: Sendable, Hashable {
    package let start: AffineMap.Point
    package let end: AffineMap.Point

    /// Creates a line.
    package init(from start: AffineMap.Point, to end: AffineMap.Point) {
      (self.start, self.end) = (start, end)
    }
  }

  /// The lines whose crossings are counted.
  package var lines: [Line]
  /// The corners of the polygons in which objects are counted.
  package var zones: [[AffineMap.Point]]

  /// Creates a request.
  package init(lines: [Line] = [], zones: [[AffineMap.Point]] = []) {
    (self.lines, self.zones) = (lines, zones)
  }
}
