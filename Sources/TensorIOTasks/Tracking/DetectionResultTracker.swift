/// Gives the detections of a stream the numbers of their objects, and counts them.
struct DetectionResultTracker: ResultSmoother {
  /// The minimum score of detections without an object.
  private let threshold: Float
  private var tracker: ObjectTracker
  private var lines: [LineCounter]
  private var zones: [ZoneCounter]

  /// Creates a tracker.
  ///
  /// - Parameters:
  ///   - request: What to count.
  ///   - threshold: The minimum score of detections that are shown and that start objects.
  init(_ request: TrackingRequest, threshold: Float) {
    self.threshold = threshold
    tracker = ObjectTracker(
      options: TrackerOptions(
        highThreshold: threshold, lowThreshold: Self.lowThreshold(for: threshold),
        newObjectThreshold: threshold))
    lines = request.lines.map { LineCounter(from: $0.start, to: $0.end) }
    zones = request.zones.map { ZoneCounter($0) }
  }

  /// Returns the minimum score of detections that can continue an object.
  static func lowThreshold(for threshold: Float) -> Float {
    min(threshold, TrackerOptions().lowThreshold)
  }

  /// Returns the detections that have an object or a sufficient score.
  mutating func smooth(_ result: any TaskResult, at seconds: Double) -> any TaskResult {
    guard let result = result as? DetectionResult else { return result }
    let assigned = tracker.assign(result.detections.all)
    let objects = assigned.map(\.object)
    for index in lines.indices { lines[index].update(with: objects) }
    for index in zones.indices { zones[index].update(with: objects) }
    return result.tracked(
      ids: Dictionary(uniqueKeysWithValues: assigned.map { ($0.detectionIndex, $0.object.id) }),
      threshold: threshold,
      counts: TrackingCounts(objects: tracker.objectCount, lines: lines, zones: zones))
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
