/// The state of an object that a tracker follows.
struct Track: Sendable {
  enum State: Sendable {
    /// Detected in too few frames to be reported.
    case unconfirmed
    /// Detected in the last frame.
    case detected
    /// Not detected in the last frame.
    case lost
  }

  /// The number of a confirmed object; `nil` for others.
  private(set) var id: Int?
  var state: State
  private(set) var detection: Detection
  /// The index of the detection in its frame.
  private(set) var detectionIndex: Int
  private var filter: BoxFilter
  /// The number of consecutive frames with a detection.
  private(set) var detectedFrames = 1
  private let firstFrame: Int
  private(set) var lastFrame: Int

  /// Creates the track of an object that was detected for the first time.
  init(_ detection: Detection, at index: Int, frame: Int) {
    (self.detection, detectionIndex) = (detection, index)
    (firstFrame, lastFrame) = (frame, frame)
    filter = BoxFilter(detection.box)
    state = .unconfirmed
  }

  /// The properties to match with those of detections.
  var box: TrackedBox { TrackedBox(filter.box, classIndex: detection.index) }

  /// The number of frames between the first and the last detection.
  var detectedSpan: Int { lastFrame - firstFrame }

  /// Predicts the next frame.
  mutating func predict() {
    if state == .lost { filter.stopGrowth() }
    filter.predict()
  }

  /// Adds the detection of a frame.
  mutating func add(_ detection: Detection, at index: Int, frame: Int) {
    filter.correct(detection.box)
    (self.detection, detectionIndex) = (detection, index)
    detectedFrames = state == .lost ? 1 : detectedFrames + 1
    lastFrame = frame
    if state == .lost { state = .detected }
  }

  /// Gives the object a number.
  mutating func confirm(id: Int) {
    self.id = id
    state = .detected
  }

  /// Returns the object; `nil` if it is not confirmed.
  func object(inFrame frame: Int) -> TrackedObject? {
    guard let id, state != .unconfirmed else { return nil }
    var detection = detection
    if state == .lost { detection.box = filter.box }
    return TrackedObject(
      id: id, detection: detection, age: frame - firstFrame + 1,
      state: state == .lost ? .lost : .detected)
  }
}
