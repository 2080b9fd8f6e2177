/// Follows detected objects over the frames of a video, and gives each a stable number.
///
/// The boxes of objects are predicted with a Kalman filter of constant velocity. Each frame, detections
/// with high scores are matched with all objects first, then detections with low scores with the
/// remaining objects of the last frame, so that an object is kept while it is partly hidden. (This is
/// ByteTrack's association.) The overlap of the boxes decides, and the sum of the distances is minimal.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "detector.tiobundle")
/// var tracker = ObjectTracker()
/// for path in ["frame-1.jpg", "frame-2.jpg"] {
///   let detections = try model.run(ImageBuffer(contentsOf: path)).detections
///   for object in tracker.update(with: detections) {
///     print(object.id, object.label, object.box)
///   }
/// }
/// ```
///
/// A tracker belongs to one video. Give the detector a low minimum score, such as
/// ``TrackerOptions/minimumScore``. The memory is bounded by ``TrackerOptions/maxCount``.
public struct ObjectTracker: Sendable {
  /// The distance below which a detected and a lost object are the same.
  private static let maxDuplicateDistance = 0.15

  /// The thresholds.
  public let options: TrackerOptions
  /// The number of frames.
  public private(set) var frameCount = 0
  /// The number of confirmed objects so far.
  public private(set) var objectCount = 0
  /// The objects, in the order of their first detection.
  private var tracks: [Track] = []

  /// Creates a tracker for a video.
  public init(options: TrackerOptions = TrackerOptions()) {
    self.options = options
  }

  /// All confirmed objects that are detected or lost, in the order of their first detection.
  public var objects: [TrackedObject] {
    tracks.compactMap { $0.object(inFrame: frameCount) }
  }

  /// Adds the detections of the next frame.
  ///
  /// Detections with a box that is not finite or has no area, and those whose score is not finite, are
  /// ignored.
  ///
  /// - Parameter detections: The detections of the frame, in any order.
  /// - Returns: The confirmed objects in the frame, in the order of their detections.
  public mutating func update(with detections: [Detection]) -> [TrackedObject] {
    assign(detections).map(\.object)
  }

  /// Adds the detections of the next frame.
  ///
  /// - Parameter detections: The result of a model in the frame.
  /// - Returns: The confirmed objects in the frame, in the order of their detections.
  public mutating func update(with detections: Detections) -> [TrackedObject] {
    update(with: detections.all)
  }

  /// Adds the detections of the next frame.
  ///
  /// - Parameter detections: The detections of the frame, in any order.
  /// - Returns: The confirmed objects in the frame with the indices of their detections, in ascending
  ///   order.
  package mutating func assign(
    _ detections: [Detection]
  ) -> [(detectionIndex: Int, object: TrackedObject)] {
    frameCount += 1
    let usable = usableDetections(detections)
    var high = usable.filter { detections[$0].score >= options.minimumHighScore }
    var low = usable.filter { detections[$0].score < options.minimumHighScore }
    // Objects that are not confirmed are expected where they were.
    for index in tracks.indices where tracks[index].state != .unconfirmed {
      tracks[index].predict()
    }
    match(detections, &high, maxDistance: options.maxDistance, isScored: true) {
      $0.state != .unconfirmed
    }
    match(detections, &low, maxDistance: options.maxLowScoreDistance, isScored: false) {
      [frameCount] in $0.state == .detected && $0.lastFrame < frameCount
    }
    match(detections, &high, maxDistance: options.maxUnconfirmedDistance, isScored: true) {
      $0.state == .unconfirmed
    }
    for index in high where detections[index].score >= options.minimumNewObjectScore {
      tracks.append(Track(detections[index], at: index, frame: frameCount))
    }
    for index in tracks.indices
    where tracks[index].state == .detected && tracks[index].lastFrame < frameCount {
      tracks[index].state = .lost
    }
    // An object that is removed at once, because it is there twice, gets no number.
    forget()
    confirm()
    return tracks.filter { $0.lastFrame == frameCount }
      .compactMap { track in
        track.object(inFrame: frameCount).map { (track.detectionIndex, $0) }
      }
      .sorted { $0.0 < $1.0 }
  }

  /// Returns the indices of the detections that can be matched, in ascending order.
  private func usableDetections(_ detections: [Detection]) -> [Int] {
    let usable = detections.indices.filter { index in
      let (score, box) = (detections[index].score, detections[index].box)
      return score >= options.minimumScore && score.isFinite && box.isFinite
        && box.area > 0 && box.area.isFinite
    }
    guard usable.count > options.maxCount else { return usable }
    return usable.sorted { detections[$0].score > detections[$1].score }
      .prefix(max(0, options.maxCount)).sorted()
  }

  /// Matches some tracks with some detections, and removes the matched ones from the indices.
  private mutating func match(
    _ detections: [Detection], _ indices: inout [Int], maxDistance: Double, isScored: Bool,
    where isIncluded: (Track) -> Bool
  ) {
    let included = tracks.indices.filter { isIncluded(tracks[$0]) }
    let matcher = TrackMatcher(
      maxDistance: maxDistance, isScored: isScored, isClassAgnostic: options.isClassAgnostic)
    let matches = matcher.matches(
      included.map { tracks[$0].box }, indices.map { TrackedBox(detections[$0]) })
    for (track, match) in zip(included, matches.detectionOfTrack) {
      guard let match else { continue }
      let index = indices[match]
      tracks[track].add(detections[index], at: index, frame: frameCount)
    }
    indices = zip(indices, matches.isDetectionMatched).filter { !$0.1 }.map(\.0)
  }

  /// Gives numbers to new objects.
  private mutating func confirm() {
    let requiredFrames = frameCount == 1 ? 1 : options.confirmationFrames
    let confirmed = tracks.indices.filter {
      tracks[$0].state == .unconfirmed && tracks[$0].lastFrame == frameCount
        && tracks[$0].detectedFrames >= requiredFrames
    }
    for index in confirmed.sorted(by: { tracks[$0].detectionIndex < tracks[$1].detectionIndex }) {
      objectCount += 1
      tracks[index].confirm(id: objectCount)
    }
  }

  /// Removes objects that were lost long ago, were never confirmed, or are there twice.
  private mutating func forget() {
    let duplicates = duplicates()
    tracks = tracks.enumerated().filter { index, track in
      !duplicates.contains(index)
        && (track.state == .unconfirmed
          ? track.lastFrame == frameCount : frameCount - track.lastFrame <= options.maxLostFrames)
    }.map(\.element)
    let excess = tracks.count - max(0, options.maxCount)
    guard excess > 0 else { return }
    let oldest = tracks.indices.filter { tracks[$0].state == .lost }
      .sorted { tracks[$0].lastFrame < tracks[$1].lastFrame }.prefix(excess)
    let removed = Set(oldest)
    tracks = tracks.enumerated().filter { !removed.contains($0.offset) }.map(\.element)
  }

  /// Returns the indices of the tracks that are in the same place as another one; of a lost and another
  /// one, the newer.
  private func duplicates() -> Set<Int> {
    let lost = tracks.indices.filter { tracks[$0].state == .lost }
    guard !lost.isEmpty else { return [] }
    let boxes = tracks.map(\.box)
    var duplicates: Set<Int> = []
    for index in tracks.indices where tracks[index].state != .lost {
      for other in lost where boxes[index].overlaps(boxes[other]) {
        guard options.isClassAgnostic || boxes[index].classIndex == boxes[other].classIndex,
          1 - boxes[index].box.intersectionOverUnion(boxes[other].box) < Self.maxDuplicateDistance
        else { continue }
        duplicates.insert(
          tracks[index].detectedSpan > tracks[other].detectedSpan ? other : index)
      }
    }
    return duplicates
  }
}
