/// The limits of an ``ObjectTracker``.
///
/// A distance between an object and a detection is 1 minus the intersection over union of their boxes.
public struct TrackerOptions: Sendable, Hashable {
  /// The minimum score of detections that are matched first, and with all objects.
  public var minimumHighScore: Float
  /// The minimum score of detections that can continue an object, but are otherwise ignored.
  public var minimumScore: Float
  /// The minimum score of a detection that starts an object.
  public var minimumNewObjectScore: Float
  /// The distance from which on an object and a detection with a high score are not matched.
  ///
  /// The intersection over union is multiplied by the score of the detection.
  public var maxDistance: Double
  /// The distance from which on an object and a detection with a low score are not matched.
  public var maxLowScoreDistance: Double
  /// The distance from which on an object that is not confirmed and a detection are not matched.
  ///
  /// The intersection over union is multiplied by the score of the detection.
  public var maxUnconfirmedDistance: Double
  /// The number of frames after which an object that was not detected again is forgotten.
  public var maxLostFrames: Int
  /// The number of consecutive frames with an object before it is confirmed.
  ///
  /// Objects of the first frame are confirmed at once.
  public var confirmationFrames: Int
  /// Whether an object and a detection of different classes are matched.
  public var isClassAgnostic: Bool
  /// The maximum number of detections of a frame, and of objects.
  ///
  /// Detections with the lowest scores are ignored, and objects that were lost first are forgotten.
  public var maxCount: Int

  /// Creates options.
  public init(
    minimumHighScore: Float = 0.5, minimumScore: Float = 0.1, minimumNewObjectScore: Float = 0.6,
    maxDistance: Double = 0.8, maxLowScoreDistance: Double = 0.5,
    maxUnconfirmedDistance: Double = 0.7, maxLostFrames: Int = 30, confirmationFrames: Int = 2,
    isClassAgnostic: Bool = false, maxCount: Int = 500
  ) {
    self.minimumHighScore = minimumHighScore
    self.minimumScore = minimumScore
    self.minimumNewObjectScore = minimumNewObjectScore
    self.maxDistance = maxDistance
    self.maxLowScoreDistance = maxLowScoreDistance
    self.maxUnconfirmedDistance = maxUnconfirmedDistance
    self.maxLostFrames = maxLostFrames
    self.confirmationFrames = confirmationFrames
    self.isClassAgnostic = isClassAgnostic
    self.maxCount = maxCount
  }
}
