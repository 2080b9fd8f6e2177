/// A call on a stream.
///
/// Confined to the event loop's thread.
final class GRPCCall {
  /// What a call is waiting for.
  enum Phase {
    /// The client to send a message.
    case receiving
    /// The response from a worker thread.
    case processing
    /// A change of the result of a method that watches one.
    case watching
    /// The client to receive the last response.
    case sending
  }

  let stream: HTTP2Stream
  let method: GRPCMethod
  let headers: HTTPHeaders
  var exchange: HTTPExchange
  var parser = GRPCMessageParser(maxMessageBytes: StandardRoute.maxBodyBytes)
  var phase = Phase.receiving { didSet { phaseStart = .now } }
  /// The start of the current phase.
  private(set) var phaseStart = ContinuousClock.now
  /// The deadline that the client set.
  let deadline: ContinuousClock.Instant?
  /// The deadline of the current phase.
  var phaseDeadline: ContinuousClock.Instant?
  /// Whether the deadline is that of a message that has begun.
  var isReceivingMessage = false
  /// The bytes that the client has to receive until the deadline, counted from the first one of the call.
  var responseCheckpoint: (bytes: Int, deadline: ContinuousClock.Instant)?
  /// Messages that have been received and not handled.
  var messages: [GRPCMessage] = []
  /// The message that is being handled.
  var current: HTTPRequest?
  /// The context of the message that is being handled.
  var context: RequestContext?
  /// The memory for messages that have been received and not handled, and for responses that have not been sent.
  var memory: MemoryReservation
  /// Whether a large message is received fast enough.
  var progress: ReceivingProgress?
  /// The bytes that the client may send again once messages have been handled.
  var withheldBytes = 0
  /// Whether the header fields of the response have been sent.
  var hasBegunResponse = false
  /// The last response of a method that watches.
  var lastResponse: [UInt8]?

  init(
    _ stream: HTTP2Stream, _ method: GRPCMethod, _ headers: HTTPHeaders, _ exchange: HTTPExchange,
    _ memory: MemoryReservation
  ) {
    self.memory = memory
    (self.stream, self.method, self.headers) = (stream, method, headers)
    self.exchange = exchange
    deadline = headers["grpc-timeout"].flatMap { Duration(grpcTimeout: $0) }
      .map { exchange.startTime + $0 }
  }

  /// The bytes of messages that have been received and not handled.
  var receivedBytes: Int { messages.reduce(parser.byteCount) { $0 + $1.bytes.count } }

  /// The bytes of messages that have been received and not handled, and of responses that have not been sent.
  var heldBytes: Int { receivedBytes + stream.outgoingCount }

  /// Whether the client may send any number of messages.
  var isExchange: Bool { if case .exchange = method.kind { true } else { false } }

  /// The coding of compressed messages; `nil` if there are none.
  var coding: String? {
    headers["grpc-encoding"].flatMap { $0 == "identity" ? nil : $0 }
  }
}
