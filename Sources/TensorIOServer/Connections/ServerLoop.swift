/// Reads and writes all connections in one thread.
///
/// A connection is read until it has a request, then not read until that is answered: so answers
/// keep their order, and a client cannot make more work than it takes answers.
final class ServerLoop {
  let poller: Poller
  let mailbox: Mailbox
  let queue: WorkQueue
  let admission: Admission
  let deadlines: Deadlines
  let status: ServerStatus
  let observer: any RequestObserver

  /// Where connections come in, until the server stops.
  var listener: Listener?
  /// Whether connections are taken at the moment.
  var isAccepting = true
  var connections: [UInt64: Connection] = [:]
  let mostConnections: Int
  var lastID: UInt64 = ServerLoop.mailboxID
  var ids = RequestIDs()
  /// The room that is left for bodies.
  var room: Int
  /// When all has to be over.
  var end: ContinuousClock.Instant?
  private var nextLook = ContinuousClock.now
  /// Shared by all connections, so that one that is silent has no memory.
  private var bytes = [UInt8](repeating: 0, count: 64 << 10)

  static let listenerID: UInt64 = 0
  static let mailboxID: UInt64 = 1

  init(
    _ parts: ServerParts, _ listener: Listener, mostConnections: Int
  ) throws(ServerError) {
    poller = try Poller()
    (mailbox, queue, status) = (parts.mailbox, parts.queue, parts.status)
    (admission, deadlines, observer) = (parts.admission, parts.deadlines, parts.observer)
    (self.listener, self.mostConnections) = (listener, mostConnections)
    room = parts.bodiesBytes
    guard poller.add(listener.number, Self.listenerID, .read),
      poller.add(mailbox.number, Self.mailboxID, .read)
    else { throw .last("epoll_ctl") }
  }

  /// Serves until the server is stopped and everything is answered.
  func run() {
    repeat {
      for event in poller.wait(milliseconds: patience) { handle(event) }
      noticeState()
      lookAtDeadlines()
    } while !isOver
  }

  private var isOver: Bool {
    guard let end else { return false }
    return connections.isEmpty || status.state == .stopped || ContinuousClock.now >= end
  }

  private var patience: Int? {
    let hasNoDeadline = connections.isEmpty && isAccepting
    return hasNoDeadline ? nil : deadlines.tick.wholeMilliseconds
  }

  private func handle(_ event: Readiness) {
    switch event.id {
    case Self.listenerID: accept()
    case Self.mailboxID: for work in mailbox.collect() { finish(work) }
    default: if let connection = connections[event.id] { handle(event, connection) }
    }
  }

  private func handle(_ event: Readiness, _ connection: Connection) {
    if event.hasEnded { connection.hasEnded = true }
    switch connection.phase {
    case .idle, .head, .body: if event.isReadable || event.isBroken { read(connection) }
    case .work: if event.hasEnded || event.isBroken { leave(connection, event.isBroken) }
    case .answer: if event.isWritable || event.isBroken { proceed(connection) }
    case .linger: if event.isReadable || event.isBroken { discard(connection) }
    }
  }

  private func read(_ connection: Connection) {
    switch connection.socket.read(into: &bytes) {
    case .wouldBlock: break
    case .ended: close(connection)
    case .bytes(let count):
      if connection.parser.isBetweenRequests { connection.exchange = Exchange(began: .now) }
      connection.parser.feed(bytes[..<count])
      proceed(connection)
    }
  }

  /// Reads over what nobody wants, so that the answer reaches a client that is still sending.
  private func discard(_ connection: Connection) {
    switch connection.socket.read(into: &bytes) {
    case .wouldBlock: break
    case .ended: close(connection)
    case .bytes(let count):
      connection.discarded += count
      if connection.discarded > ServerLimits.discardedBytes { close(connection) }
    }
  }

  /// Looks at all connections from time to time; so many are looked at quickly.
  private func lookAtDeadlines() {
    let now = ContinuousClock.now
    guard now >= nextLook else { return }
    nextLook = now + deadlines.tick
    for connection in connections.values {
      if let deadline = connection.deadline, deadline <= now { lose(connection) }
    }
    resumeAccepting()
  }
}

extension Duration {
  var wholeMilliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
