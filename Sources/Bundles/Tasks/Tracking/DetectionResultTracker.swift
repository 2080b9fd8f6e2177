/// Gives the detections of a stream the numbers of their objects, and counts them.
struct DetectionResultTracker: ResultSmoother {
  /// The minimum score of detections without an object.
  private let threshold: Float
  private var counter: ObjectCounter

  /// Creates a tracker.
  ///
  /// - Parameters:
  ///   - request: What to count.
  ///   - threshold: The minimum score of detections that are shown and that start objects.
  init(_ request: TrackingRequest, threshold: Float) {
    self.threshold = threshold
    counter = ObjectCounter(request, threshold: threshold)
  }

  /// Returns the detections that have an object or a sufficient score.
  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult {
    guard let result = result as? DetectionResult else { return result }
    let ids = counter.ids(of: result.detections.all)
    return result.tracked(ids: ids, threshold: threshold, counts: counter.counts)
  }
}

extension DetectionResult {
  /// Returns the result with the numbers of objects by the index of their detection, without detections
  /// that have neither a number nor a sufficient score.
  fileprivate func tracked(
    ids: [Int: Int], threshold: Float, counts: TrackingCounts
  ) -> DetectionResult {
    let shown = detections.indices.filter { index in
      ids[index] != nil || detections[index].score >= threshold
    }
    var result = DetectionResult(
      detections: Detections(
        shown.map { (detections.rows[$0], detections[$0]) }, detections.inconsistencies),
      attributes: attributes.isEmpty ? [] : shown.compactMap(attributes(at:)))
    result.masks =
      masks.isEmpty
      ? []
      : shown.compactMap { index in
        masks.indices.contains(index) ? masks[index] : nil
      }
    result.ids = shown.map { ids[$0] }
    result.counts = counts
    return result
  }
}
