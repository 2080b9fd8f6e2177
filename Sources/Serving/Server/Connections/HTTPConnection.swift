/// The state of a connection.
///
/// Confined to the event loop's thread.
final class HTTPConnection {
  /// What a connection is waiting for.
  enum Phase {
    /// Waiting for the first byte of the next request.
    case idle
    case readingHead
    case readingBody
    /// Waiting for the response from a worker thread.
    case processing
    /// Waiting for the producer of a body, or for the client to receive what it has made.
    case streaming
    /// The client to receive its responses.
    case writing
    /// The client to close its side after the last response.
    case lingering
  }

  let id: UInt64
  let socket: Socket
  /// The IP address of the client.
  let client: String
  var parser = RequestParser()
  var writeBuffer = WriteBuffer()
  var phase = Phase.idle
  /// The deadline of the current phase.
  var deadline: ContinuousClock.Instant?
  /// The start of the current phase, or of the time without calls of an HTTP/2 connection.
  var phaseStart: ContinuousClock.Instant
  /// Whether a request was answered.
  var hasCompletedRequest = false
  /// The context of the request that is being processed.
  var context: RequestContext?
  /// The response that is made while it is sent.
  var stream: ResponseStream?
  /// When to find out whether a client that closed its sending side still receives, or to send a
  /// heartbeat.
  var nextProbe: ContinuousClock.Instant?
  /// The current request.
  var exchange: HTTPExchange
  /// The memory that the current request holds; `nil` until its head is complete.
  var memory: MemoryReservation?
  /// The memory of responses in the write buffer.
  var unsentMemory: [MemoryReservation] = []
  /// Whether a large body is received fast enough.
  var progress: ReceivingProgress?
  /// Requests whose responses are in the write buffer.
  var unreportedExchanges: [HTTPExchange] = []
  /// Whether the write buffer holds the last response.
  var isClosing = false
  /// The number of bytes discarded since the last response.
  var discardedBytes = 0
  /// Whether the client closed its sending side.
  var isPeerClosed = false
  /// Whether the client connected after the server began to stop.
  var isLate = false
  /// Whether the connection was opened when only those for health checks were left.
  var isReserved = false
  /// Whether the client has sent bytes during the current request that are read after it.
  var hasDeferredBytes = false
  /// The events that the poller watches for.
  var interest: PollInterest = []

  /// Whether the client must use HTTP/2.
  let requiresHTTP2: Bool
  /// Whether enough bytes have been received to determine the protocol, and those that have.
  var isProtocolKnown = false
  var prefaceBytes: [UInt8] = []
  /// The session of an HTTP/2 connection; `nil` for HTTP/1.1.
  var http2: HTTP2Session?
  /// The calls of an HTTP/2 connection by stream, and the streams of messages that are handled.
  var calls: [Int32: GRPCCall] = [:]
  /// The other requests of an HTTP/2 connection by stream.
  var exchanges: [Int32: HTTP2Exchange] = [:]
  var streamIDs: [ObjectIdentifier: Int32] = [:]
  /// Whether a call with several messages waits until its responses are sent.
  var hasBlockedExchange = false
  /// Whether the session has failed.
  var isBroken = false
  /// The deadline for the client to receive something.
  var writeDeadline: ContinuousClock.Instant?
  /// The deadline for the header fields that the client of an HTTP/2 connection has begun to send,
  /// and their number.
  var headersDeadline: ContinuousClock.Instant?
  var headersNumber = 0
  /// When an HTTP/2 connection is closed that was told to end.
  var closeDeadline: ContinuousClock.Instant?
  /// When new streams are rejected because the server is stopping.
  var rejectionTime: ContinuousClock.Instant?

  init(
    _ id: UInt64, _ socket: Socket, requiresHTTP2: Bool = false, _ now: ContinuousClock.Instant
  ) {
    (self.id, self.socket, client) = (id, socket, socket.peerAddress)
    self.requiresHTTP2 = requiresHTTP2
    phaseStart = now
    exchange = HTTPExchange(startTime: now)
  }

  /// Whether an HTTP/2 connection has no request.
  var hasNoStreams: Bool { calls.isEmpty && exchanges.isEmpty }

  /// Whether to read more bytes.
  var canRead: Bool { !isClosing && [.idle, .readingHead, .readingBody].contains(phase) }

  /// Whether the client must receive responses before more requests are read.
  var isWriteBufferFull: Bool { writeBuffer.count >= Self.maxWriteBufferBytes }

  private static let maxWriteBufferBytes = 64 << 10
}

/// A request and its response, as far as they have been received and created.
struct HTTPExchange {
  let startTime: ContinuousClock.Instant
  var head: RequestHead?
  var route: Route?
  var framing = ResponseFraming(requestID: "")
  var method = ""
  var path = ""
  var status = 0
  /// The name of the model that the request is for.
  var modelName: String?
  /// What the response says went wrong.
  var error: HTTPResponse.ErrorDetail?
  var requestBytes = 0
  var responseBytes = 0
  var queueDuration: Duration?
  var trace: RequestTrace?
  /// The status of a gRPC call.
  var grpcStatus: Int?

  init(startTime: ContinuousClock.Instant) { self.startTime = startTime }

  /// Returns a response of the server itself in the form of the route.
  func formed(_ response: HTTPResponse) -> HTTPResponse { route?.errorForm?(response) ?? response }

  /// Records the response, or the last one of several.
  mutating func record(_ response: HTTPResponse) {
    status = response.status.code
    error = response.error
  }

  func summary(_ now: ContinuousClock.Instant, client: String) -> CompletedRequest {
    var summary = CompletedRequest(
      id: framing.requestID, method: method, path: path, routePattern: route?.pathPattern ?? "",
      status: status, requestBytes: requestBytes, responseBytes: responseBytes,
      duration: startTime.duration(to: now), queueDuration: queueDuration, client: client)
    summary.trace = trace
    summary.isInline = route?.execution == .inline
    summary.grpcStatus = grpcStatus
    summary.modelName = modelName
    summary.error = error
    return summary
  }
}

/// The bytes to be written to a connection.
struct WriteBuffer {
  private var parts: [[UInt8]] = []
  private var start = 0
  /// The number of unwritten bytes.
  private(set) var count = 0

  /// The largest message that is merged with others into one write.
  private static let maxCoalescedBytes = 16 << 10

  var isEmpty: Bool { count == 0 }

  mutating func append(_ head: [UInt8], _ body: [UInt8] = []) {
    count += head.count + body.count
    if body.count <= Self.maxCoalescedBytes {
      coalesce(body.isEmpty ? head : head + body)
    } else {
      parts += [head, body]
    }
  }

  /// Writes as much as the socket accepts; returns false if the connection is closed.
  mutating func flush(to socket: Socket) -> Bool {
    while let part = parts.first {
      switch socket.write(part, startingAt: start) {
      case .bytes(let written): advance(by: written, of: part.count)
      case .wouldBlock: return true
      case .closed: return false
      }
    }
    return true
  }

  private mutating func coalesce(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if let last = parts.last, last.count + bytes.count <= Self.maxCoalescedBytes {
      parts[parts.count - 1] += bytes
    } else {
      parts.append(bytes)
    }
  }

  private mutating func advance(by written: Int, of size: Int) {
    (start, count) = (start + written, count - written)
    guard start == size else { return }
    parts.removeFirst()
    start = 0
  }
}
