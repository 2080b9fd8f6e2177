import TensorIOImage

/// Smooths the poses of a stream, gives them the numbers of their people or objects, and counts them.
struct PoseResultTracker: ResultSmoother {
  /// The minimum score of poses without an object.
  private let threshold: Float
  private var counter: ObjectCounter?
  private var smoother: PoseSmoother?

  /// Creates a tracker.
  ///
  /// - Parameters:
  ///   - request: What to count; `nil` if poses are smoothed only.
  ///   - threshold: The minimum score of poses that are shown and that start objects.
  ///   - isSmoothed: Whether keypoints are smoothed.
  init(_ request: TrackingRequest?, threshold: Float, isSmoothed: Bool) {
    self.threshold = threshold
    counter = request.map { ObjectCounter($0, threshold: threshold) }
    smoother = isSmoothed ? PoseSmoother() : nil
  }

  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult {
    guard var result = result as? PoseResult else { return result }
    let ids = counter?.ids(of: result.poses.map { $0.detection(labeled: result.label) })
    if let ids {
      result = result.tracked(ids: ids, threshold: threshold)
      result.counts = counter?.counts
    }
    if let smoothed = smoother?.smooth(result.poses, at: seconds) { result.poses = smoothed }
    return result
  }
}

extension Pose {
  /// The pose as a detection with its box, or with the smallest box around its keypoints.
  func detection(labeled label: String) -> Detection {
    let none = BoundingBox(xmin: 0, ymin: 0, xmax: 0, ymax: 0)
    return Detection(label: label, index: 0, score: score, box: box ?? extent ?? none)
  }
}

extension PoseResult {
  /// Returns the result with the numbers of objects by the index of their pose, without poses that have neither a number nor
  /// a sufficient score.
  fileprivate func tracked(ids: [Int: Int], threshold: Float) -> PoseResult {
    let shown = poses.indices.filter { ids[$0] != nil || poses[$0].score >= threshold }
    var result = self
    result.poses.all = shown.map { poses[$0] }
    result.masks = shown.compactMap { masks.indices.contains($0) ? masks[$0] : nil }
    result.ids = shown.map { ids[$0] }
    return result
  }
}
