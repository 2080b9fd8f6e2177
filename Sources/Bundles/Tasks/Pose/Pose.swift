public import TensorIOImage

/// The keypoints of a person, a hand, a face or another object in an image.
public struct Pose: Sendable, Hashable {
  /// A named point with its score.
  public struct Keypoint: Sendable, Hashable {
    /// The name, or the index as text if it has none.
    public var name: String
    /// The distance from the left edge, in pixels of the caller's image.
    public var x: Double
    /// The distance from the upper edge, in pixels of the caller's image.
    public var y: Double
    /// The score, typically from 0 to 1; 1 if the model has none.
    public var score: Float

    /// Creates a keypoint.
    public init(name: String, x: Double, y: Double, score: Float = 1) {
      (self.name, self.x, self.y, self.score) = (name, x, y, score)
    }

    /// The position.
    public var point: AffineMap.Point { AffineMap.Point(x: x, y: y) }
  }

  /// A line between two keypoints, such as a forearm.
  public struct Limb: Sendable, Hashable {
    /// The name of the first keypoint.
    public var start: String
    /// The name of the other keypoint.
    public var end: String

    /// Creates a limb.
    public init(from start: String, to end: String) {
      (self.start, self.end) = (start, end)
    }
  }

  /// The keypoints, in the order of the model's outputs; those that are not finite are missing.
  public var keypoints: [Keypoint]
  /// The score, typically from 0 to 1.
  public var score: Float
  /// The bounding box, in pixels of the caller's image; `nil` if the model has none.
  public var box: BoundingBox?

  /// Creates a pose.
  public init(keypoints: [Keypoint], score: Float, box: BoundingBox? = nil) {
    (self.keypoints, self.score, self.box) = (keypoints, score, box)
  }

  /// The keypoint with a name; `nil` if it is missing.
  public subscript(name: String) -> Keypoint? { keypoints.first { $0.name == name } }

  /// The smallest rectangle around the keypoints; `nil` if there are none.
  public var extent: BoundingBox? {
    guard let first = keypoints.first else { return nil }
    let point = BoundingBox(xmin: first.x, ymin: first.y, xmax: first.x, ymax: first.y)
    return keypoints.dropFirst().reduce(into: point) { box, keypoint in
      box.xmin = min(box.xmin, keypoint.x)
      box.ymin = min(box.ymin, keypoint.y)
      box.xmax = max(box.xmax, keypoint.x)
      box.ymax = max(box.ymax, keypoint.y)
    }
  }
}
