/// Follows the objects of a stream, and counts those that cross lines or are in zones.
struct ObjectCounter: Sendable {
  private var tracker: ObjectTracker
  private var lines: [LineCounter]
  private var zones: [ZoneCounter]

  /// Creates a counter.
  ///
  /// - Parameters:
  ///   - request: What to count.
  ///   - threshold: The minimum score of detections that start objects.
  init(_ request: TrackingRequest, threshold: Float) {
    tracker = ObjectTracker(
      options: TrackerOptions(
        minimumHighScore: threshold, minimumScore: Self.minimumScore(for: threshold),
        minimumNewObjectScore: threshold, isClassAgnostic: request.isClassAgnostic))
    lines = request.lines.map { LineCounter(from: $0.start, to: $0.end) }
    zones = request.zones.map { ZoneCounter($0) }
  }

  /// Returns the minimum score of detections that can continue an object.
  static func minimumScore(for threshold: Float) -> Float {
    min(threshold, TrackerOptions().minimumScore)
  }

  /// The numbers of objects so far.
  var counts: TrackingCounts {
    TrackingCounts(objects: tracker.objectCount, lines: lines, zones: zones)
  }

  /// Adds the detections of the next frame; returns the numbers of their objects by the index of the detection.
  mutating func ids(of detections: [Detection]) -> [Int: Int] {
    let assigned = tracker.assign(detections)
    let objects = assigned.map(\.object)
    for index in lines.indices { lines[index].update(with: objects) }
    for index in zones.indices { zones[index].update(with: objects) }
    return Dictionary(uniqueKeysWithValues: assigned.map { ($0.detectionIndex, $0.object.id) })
  }
}
