/// A request of HTTP on a stream of a connection, and its response.
///
/// Confined to the event loop's thread.
final class HTTP2Exchange {
  /// What an exchange is waiting for.
  enum Phase {
    /// The client to send the body.
    case receiving
    /// The response from a worker thread.
    case processing
    /// The producer of a body, or the client to receive what it has made.
    case streaming
    /// The client to receive the rest of the response.
    case sending
  }

  let stream: HTTP2Stream
  var exchange: HTTPExchange
  var phase = Phase.receiving { didSet { phaseStart = .now } }
  /// The start of the current phase.
  private(set) var phaseStart = ContinuousClock.now
  /// The deadline of the current phase.
  var deadline: ContinuousClock.Instant?
  /// Whether a large body is received fast enough.
  var progress: ReceivingProgress?
  var body: [UInt8] = []
  var maxBodyBytes = 0
  /// The memory of the body, and then of the response.
  var memory: MemoryReservation
  /// The context of the request that is being processed.
  var context: RequestContext?
  /// The response that is made while it is sent.
  var response: ResponseStream?
  /// When to send a heartbeat, if the response has one.
  var nextHeartbeat = ContinuousClock.now
  /// The bytes that the client had not received at the last check.
  var unsentCount = 0

  init(_ stream: HTTP2Stream, _ exchange: HTTPExchange, _ memory: MemoryReservation) {
    (self.stream, self.exchange, self.memory) = (stream, exchange, memory)
  }

  /// Whether the exchange waits for its client.
  var waitsForClient: Bool { phase != .processing && (phase != .streaming || unsentCount > 0) }
}
