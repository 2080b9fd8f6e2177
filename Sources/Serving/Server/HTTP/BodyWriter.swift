import Synchronization

/// Passes the bytes of a body from its producer to the event loop.
///
/// All bytes that are waiting when the event loop takes them become one chunk of HTTP/1.1 or one
/// frame of HTTP/2: a slow producer's bytes are sent at once, and those of a fast one in large parts.
package final class BodyWriter: Sendable {
  /// The number of bytes that are not sent above which a producer waits.
  package static let highWaterMark = 64 << 10
  /// The number of bytes that are not sent at which a waiting producer continues.
  package static let lowWaterMark = 16 << 10

  private struct State {
    var pending: [UInt8] = []
    /// The number of bytes that the event loop has taken and not sent.
    var takenCount = 0
    /// The end of the body, after the pending bytes.
    var end: Result<Void, ClientError>?
    /// Whether the event loop will take the pending bytes.
    var isListed = false
    /// The producer, if it waits until bytes are sent.
    var waiting: [CheckedContinuation<Void, Never>] = []

    var unsentCount: Int { pending.count + takenCount }
  }

  let connectionID: UInt64
  /// The stream of an HTTP/2 connection.
  let streamID: Int32
  private let queue: CompletionQueue
  private let state = Mutex(State())

  init(connectionID: UInt64, streamID: Int32, _ queue: CompletionQueue) {
    (self.connectionID, self.streamID, self.queue) = (connectionID, streamID, queue)
  }

  /// Adds bytes to the body, and waits while too many are not sent.
  ///
  /// Bytes of one call are sent without a heartbeat in between, so a call adds complete events. An
  /// empty array sends the head, if that has not been sent.
  ///
  /// - Throws: A ``ClientError`` if the client has disconnected, or the time for the body is over.
  package func send(_ bytes: [UInt8]) async throws(ClientError) {
    let isFull = try append(bytes)
    guard isFull else { return }
    await withCheckedContinuation { continuation in
      let mustWait = state.withLock { state in
        guard state.end == nil, state.unsentCount > Self.lowWaterMark else { return false }
        state.waiting.append(continuation)
        return true
      }
      if !mustWait { continuation.resume() }
    }
    if case .failure(let error) = state.withLock(\.end) { throw error }
  }

  /// Adds bytes; returns whether too many are not sent.
  private func append(_ bytes: [UInt8]) throws(ClientError) -> Bool {
    let (result, isNew) = state.withLock { state -> (Result<Bool, ClientError>, Bool) in
      if case .failure(let error) = state.end { return (.failure(error), false) }
      state.pending += bytes
      let isNew = !state.isListed
      state.isListed = true
      return (.success(state.unsentCount > Self.highWaterMark), isNew)
    }
    if isNew { queue.enqueue(.body(self)) }
    return try result.get()
  }

  /// Adds the last bytes, which are sent together with the end of the body.
  package func finish(with bytes: [UInt8]) {
    state.withLock { state in
      if state.end == nil { state.pending += bytes }
    }
    finish(.success(()))
  }

  /// Ends the body after the pending bytes; a second call has no effect.
  func finish(_ end: Result<Void, ClientError>) {
    let (waiting, isNew) = state.withLock { state in
      guard state.end == nil else { return ([CheckedContinuation<Void, Never>](), false) }
      state.end = end
      let isNew = !state.isListed
      state.isListed = true
      return (Self.takeWaiting(&state), isNew)
    }
    if isNew { queue.enqueue(.body(self)) }
    for continuation in waiting { continuation.resume() }
  }
}

// MARK: The event loop's side

extension BodyWriter {
  /// Takes the pending bytes, and the end of the body if nothing follows them; `nil` if the
  /// producer has done nothing since the last call.
  func take() -> (bytes: [UInt8], end: Result<Void, ClientError>?)? {
    state.withLock { state in
      guard state.isListed else { return nil }
      defer { (state.pending, state.takenCount, state.isListed) = ([], state.unsentCount, false) }
      return (state.pending, state.end)
    }
  }

  /// Records how many of the taken bytes are not sent; the producer continues if they are few.
  ///
  /// - Returns: Whether there is something to take.
  func recordUnsent(_ count: Int) -> Bool {
    let (waiting, isListed) = state.withLock { state in
      state.takenCount = count
      let mayContinue = state.unsentCount <= Self.lowWaterMark
      return (mayContinue ? Self.takeWaiting(&state) : [], state.isListed)
    }
    for continuation in waiting { continuation.resume() }
    return isListed
  }

  private static func takeWaiting(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
    defer { state.waiting = [] }
    return state.waiting
  }
}
