/// What is known of a connection; belongs to the thread that reads and writes.
final class HTTPConnection {
  /// What the connection waits for.
  enum Phase {
    /// A next request, of which nothing has come.
    case idle
    case readingHead
    case readingBody
    /// A worker's answer.
    case processing
    /// The client, to take its answers.
    case writing
    /// The client, to take note that it is over.
    case lingering
  }

  let id: UInt64
  let socket: Socket
  var parser = RequestParser()
  var writeBuffer = WriteBuffer()
  var phase = Phase.idle
  /// When the patience with the phase is over; never while a worker is at a request.
  var deadline: ContinuousClock.Instant?
  /// The request that is read or answered.
  var exchange: HTTPExchange
  /// The room that is kept for the body of the request.
  var reservedBodyBytes = 0
  /// Requests whose answers are in the outbox.
  var unreportedExchanges: [HTTPExchange] = []
  /// Whether what is in the outbox is the last.
  var isClosing = false
  /// How many bytes were read over since then.
  var discardedBytes = 0
  /// Whether the client has sent all that it will.
  var isPeerClosed = false
  /// What the poller looks for.
  var interest: PollInterest = []

  init(_ id: UInt64, _ socket: Socket, _ now: ContinuousClock.Instant) {
    (self.id, self.socket) = (id, socket)
    exchange = HTTPExchange(startTime: now)
  }

  /// Whether the next bytes are wanted.
  var canRead: Bool { !isClosing && [.idle, .readingHead, .readingBody].contains(phase) }

  /// Whether the memory for answers is taken, so that the client has to read first.
  var isWriteBufferFull: Bool { writeBuffer.count >= Self.maxWriteBufferBytes }

  private static let maxWriteBufferBytes = 64 << 10
}

/// A request and its answer, as far as they have come.
struct HTTPExchange {
  let startTime: ContinuousClock.Instant
  var head: RequestHead?
  var route: Route?
  var framing = ResponseFraming(requestID: "")
  var method = ""
  var path = ""
  var status = 0
  var requestBytes = 0
  var responseBytes = 0
  var queueDuration = Duration.zero

  init(startTime: ContinuousClock.Instant) { self.startTime = startTime }

  func summary(_ now: ContinuousClock.Instant) -> CompletedRequest {
    CompletedRequest(
      id: framing.requestID, method: method, path: path, routePattern: route?.pathPattern ?? "", status: status,
      requestBytes: requestBytes, responseBytes: responseBytes, duration: startTime.duration(to: now), queueDuration: queueDuration)
  }
}

/// What is still to be written to a connection.
struct WriteBuffer {
  private var parts: [[UInt8]] = []
  private var start = 0
  /// How many bytes are left.
  private(set) var count = 0

  /// Smaller bodies are sent together with their heads.
  private static let maxCoalescedBytes = 16 << 10

  var isEmpty: Bool { count == 0 }

  mutating func append(_ head: [UInt8], _ body: [UInt8] = []) {
    count += head.count + body.count
    if body.count <= Self.maxCoalescedBytes {
      coalesce(head + body)
    } else {
      parts += [head, body]
    }
  }

  /// Writes what fits; says whether anybody is there to read it.
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
