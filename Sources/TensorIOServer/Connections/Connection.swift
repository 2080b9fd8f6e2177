/// What is known of a connection; belongs to the thread that reads and writes.
final class Connection {
  /// What the connection waits for.
  enum Phase {
    /// A next request, of which nothing has come.
    case idle
    case head
    case body
    /// A worker's answer.
    case work
    /// The client, to take its answers.
    case answer
    /// The client, to take note that it is over.
    case linger
  }

  let id: UInt64
  let socket: Socket
  var parser = RequestParser()
  var outbox = Outbox()
  var phase = Phase.idle
  /// When the patience with the phase is over; never while a worker is at a request.
  var deadline: ContinuousClock.Instant?
  /// The request that is read or answered.
  var exchange: Exchange
  /// Requests whose answers are in the outbox.
  var answered: [Exchange] = []
  /// Whether what is in the outbox is the last.
  var isClosing = false
  /// Whether the client has sent all that it will.
  var hasEnded = false
  /// What the poller looks for.
  var interest: Interest = []

  init(_ id: UInt64, _ socket: Socket, _ now: ContinuousClock.Instant) {
    (self.id, self.socket) = (id, socket)
    exchange = Exchange(began: now)
  }

  /// Whether the next bytes are wanted.
  var isReading: Bool { !isClosing && [.idle, .head, .body].contains(phase) }

  /// Whether the memory for answers is taken, so that the client has to read first.
  var isFull: Bool { outbox.count >= Self.mostUnread }

  private static let mostUnread = 64 << 10
}

/// A request and its answer, as far as they have come.
struct Exchange {
  let began: ContinuousClock.Instant
  var head: RequestHead?
  var route: Route?
  var frame = AnswerFrame(id: "")
  var method = ""
  var path = ""
  var status = 0
  var bodyBytes = 0
  var answerBytes = 0
  var wait = Duration.zero

  init(began: ContinuousClock.Instant) { self.began = began }

  func summary(_ now: ContinuousClock.Instant) -> RequestSummary {
    RequestSummary(
      id: frame.id, method: method, path: path, route: route?.text ?? "", status: status,
      bodyBytes: bodyBytes, answerBytes: answerBytes, duration: began.duration(to: now), wait: wait)
  }
}
