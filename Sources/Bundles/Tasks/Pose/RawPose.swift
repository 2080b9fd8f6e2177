/// A pose in coordinates of the model's outputs, whose numbers may not be finite.
struct RawPose {
  /// The positions of the keypoints.
  var points: [(x: Double, y: Double)]
  /// The scores of the keypoints.
  var scores: [Float]
  /// The score of the pose; `nil` for the mean score of the keypoints.
  var score: Float?
  /// The left, top, right and bottom edge.
  var edges: [Double]?

  /// The score of the pose, or the mean score of the keypoints whose score is a number.
  var effectiveScore: Float {
    if let score { return score }
    let finite = scores.filter(\.isFinite)
    return finite.isEmpty ? .nan : finite.reduce(0, +) / Float(scores.count)
  }
}
