/// The poses that a model has found in an image, in descending order of score.
public struct Poses: Sendable, Hashable {
  /// An inconsistency in a model's outputs.
  @nonexhaustive
  public enum Inconsistency: Sendable, Hashable {
    /// The count is NaN, negative, or larger than the number of rows.
    case countOutOfRange(reported: Double, available: Int)
    /// The given number of poses have a score or a box that is not finite.
    case nonFinitePoses(Int)
    /// The given number of keypoints have a position or a score that is not finite.
    case nonFiniteKeypoints(Int)
  }

  /// The poses, in descending order of score; equal scores in the order of the outputs.
  public var all: [Pose]
  /// The lines between keypoints.
  public let limbs: [Pose.Limb]
  /// Inconsistencies in the model's outputs.
  public let inconsistencies: [Inconsistency]

  /// Creates poses.
  public init(_ all: [Pose], limbs: [Pose.Limb] = [], inconsistencies: [Inconsistency] = []) {
    (self.all, self.limbs, self.inconsistencies) = (all, limbs, inconsistencies)
  }

  /// Returns the limbs of a pose whose keypoints both have a sufficient score.
  ///
  /// - Parameters:
  ///   - pose: The pose.
  ///   - minimumScore: The minimum score of both keypoints.
  /// - Returns: The keypoints at the ends of each limb.
  public func limbs(
    of pose: Pose, minimumScore: Float = PoseOptions.defaultMinimumKeypointScore
  ) -> [(start: Pose.Keypoint, end: Pose.Keypoint)] {
    let keypoints = Dictionary(
      pose.keypoints.lazy.filter { $0.score >= minimumScore }.map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
    return limbs.compactMap { limb in
      guard let start = keypoints[limb.start], let end = keypoints[limb.end] else { return nil }
      return (start, end)
    }
  }
}

extension Poses: RandomAccessCollection {
  /// The index of the first pose.
  public var startIndex: Int { all.startIndex }
  /// The index after the last pose.
  public var endIndex: Int { all.endIndex }
  /// The pose at a position.
  public subscript(position: Int) -> Pose { all[position] }
}

extension Poses.Inconsistency: CustomStringConvertible {
  /// One line that describes the inconsistency.
  public var description: String {
    switch self {
    case .countOutOfRange(let reported, let available):
      Detections.Inconsistency.countOutOfRange(reported: reported, available: available).description
    case .nonFinitePoses(let count):
      "\(count) poses have a score or a box that is not a finite number"
    case .nonFiniteKeypoints(let count):
      "\(count) keypoints have a position or a score that is not a finite number"
    }
  }
}
