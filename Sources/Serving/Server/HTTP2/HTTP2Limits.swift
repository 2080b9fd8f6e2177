/// Limits on HTTP/2 connections.
enum HTTP2Limits {
  /// The maximum number of streams that a client has open on one connection.
  static let maxConcurrentStreams = 128
  /// The number of bytes that a client sends on a stream before the server has processed them.
  static let streamWindowBytes = 4 << 20
  /// The number of bytes that a client sends on a connection before the server has processed them.
  static let connectionWindowBytes = 16 << 20
  /// The maximum size of a frame from a client, in bytes.
  static let maxFrameBytes = 256 << 10
  /// The maximum size of the header fields of one request, in bytes, as HTTP/2 counts them.
  static let maxHeaderBytes = HTTPLimits.maxHeadBytes
  /// The size that HTTP/2 adds for each header field.
  static let headerFieldOverhead = 32
  /// The maximum number of frames that continue one list of header fields.
  static let maxContinuations = 16
  /// The maximum number of acknowledgments that a client has not read: more than one read can
  /// require, so that ``HTTP2FloodGuard`` finds a flood first.
  static let maxPendingAcknowledgments = 10_000
  /// The maximum number of settings in one frame.
  static let maxSettings = 32
  /// The number of bytes that are prepared for one write.
  static let writeBytes = 256 << 10
}

/// Finds clients that keep a connection busy without letting it work.
///
/// A stream that a client resets costs the server work for nothing, and so do frames that only ask
/// for an acknowledgment. Each has a budget, which useful frames refill.
struct HTTP2FloodGuard {
  /// The number of resets that a client may send at once.
  static let maxResets = 200
  /// The number of resets per second that a client may send for any time.
  static let resetsPerSecond = 20
  /// The number of control frames between two frames with header fields or data.
  static let maxControlFrames = 1000

  private var resets = maxResets
  private var lastRefill = ContinuousClock.now
  private var controlFrames = 0

  /// Records a reset stream; returns false if there were too many.
  mutating func allowsReset(now: ContinuousClock.Instant) -> Bool {
    let seconds = lastRefill.duration(to: now).components.seconds
    if seconds > 0 {
      let refill = Self.resetsPerSecond.multipliedReportingOverflow(by: Int(clamping: seconds))
      resets = refill.overflow ? Self.maxResets : min(Self.maxResets, resets + refill.partialValue)
      lastRefill = now
    }
    resets -= 1
    return resets >= 0
  }

  /// Records a stream that was answered.
  mutating func recordCompletion() {
    resets = min(Self.maxResets, resets + 1)
  }

  /// Records a frame with header fields or data.
  mutating func recordProgress() { controlFrames = 0 }

  /// Records any other frame; returns false if there were too many.
  mutating func allowsControlFrame() -> Bool {
    controlFrames += 1
    return controlFrames <= Self.maxControlFrames
  }
}
