/// An object that an ``ObjectTracker`` follows over the frames of a video.
public struct TrackedObject: Sendable, Hashable, Identifiable {
  /// Whether an object is in the current frame.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The object was detected in the current frame.
    case detected
    /// The object was not detected in the current frame, and may be detected again.
    case lost
  }

  /// The number of the object, from 1 in the order of confirmation; it is never used again.
  public var id: Int
  /// The last detection of the object; the box of a lost object is the predicted one.
  public var detection: Detection
  /// The number of frames since the object was first detected, counting the current one.
  public var age: Int
  /// Whether the object is in the current frame.
  public var state: State

  /// Creates an object.
  public init(id: Int, detection: Detection, age: Int = 1, state: State = .detected) {
    (self.id, self.detection, self.age, self.state) = (id, detection, age, state)
  }
}

extension TrackedObject {
  /// The label of the last detection.
  public var label: String { detection.label }
  /// The score of the last detection.
  public var score: Float { detection.score }
  /// The box of the last detection, or the predicted box of a lost object, in pixels of the caller's
  /// image.
  public var box: BoundingBox { detection.box }
}
