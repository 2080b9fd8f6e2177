/// A keypoint of an annotated object, in pixels of the upright image.
package struct AnnotatedKeypoint: Sendable, Hashable {
  /// The name, or the index as text if the dataset does not name it.
  package var name: String
  /// The distance from the left edge.
  package var x: Double
  /// The distance from the upper edge.
  package var y: Double
  /// Whether the position is marked.
  package var isMarked: Bool

  /// Creates a keypoint.
  package init(name: String, x: Double, y: Double, isMarked: Bool) {
    (self.name, self.x, self.y, self.isMarked) = (name, x, y, isMarked)
  }
}
