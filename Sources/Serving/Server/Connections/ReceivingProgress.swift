/// Whether a client sends a large body fast enough for the memory that it holds.
///
/// The time for a body does not depend on its size. Without more, a client could hold much memory for all of that time
/// with a few bytes.
struct ReceivingProgress {
  /// When the complete body must have been received.
  private let deadline: ContinuousClock.Instant
  private let timeouts: HTTPTimeouts
  /// The bytes received at the last check.
  private var count: Int

  /// Begins to watch a body.
  init(_ timeouts: HTTPTimeouts, receivedBytes count: Int) {
    (self.timeouts, self.count) = (timeouts, count)
    deadline = .now + timeouts.body
  }

  /// When to check next.
  var nextCheck: ContinuousClock.Instant { min(deadline, .now + timeouts.progress) }

  /// Returns whether the client may go on.
  mutating func mayContinue(receivedBytes: Int) -> Bool {
    let isFast =
      receivedBytes <= MemoryBudget.maxSmallByteCount
      || receivedBytes - count >= HTTPLimits.minProgressBytes
    count = receivedBytes
    return isFast && deadline > .now
  }
}
