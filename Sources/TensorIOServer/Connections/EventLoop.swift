import TensorIOSystem

/// Reads and writes all connections in one thread.
///
/// A connection is read until it has a request, then not read until that is answered: so answers
/// keep their order, and a client cannot make more work than it takes answers.
final class EventLoop {
  let poller: Poller
  let completions: CompletionQueue
  let queue: RequestQueue
  let policy: RequestPolicy
  let timeouts: HTTPTimeouts
  let status: ServerStatus
  let observer: any RequestObserver

  /// Where connections come in, until the server stops.
  var listener: SocketListener?
  /// Whether connections are taken at the moment.
  var isAccepting = true
  var connections: [UInt64: HTTPConnection] = [:]
  let maxConnections: Int
  var lastID: UInt64 = EventLoop.completionsID
  var requestIDs = RequestIDGenerator()
  /// The room that is left for bodies.
  var bodyBudget: Int
  /// When all has to be over.
  var shutdownDeadline: ContinuousClock.Instant?
  private var nextTimeoutCheck = ContinuousClock.now
  /// Shared by all connections, so that one that is silent has no memory.
  private var readScratch = [UInt8](repeating: 0, count: 64 << 10)

  static let listenerID: UInt64 = 0
  static let completionsID: UInt64 = 1

  init(
    _ parts: ServerComponents, _ listener: SocketListener, maxConnections: Int
  ) throws(ListenError) {
    poller = try Poller()
    (completions, queue, status) = (parts.completions, parts.queue, parts.status)
    (policy, timeouts, observer) = (parts.policy, parts.timeouts, parts.observer)
    (self.listener, self.maxConnections) = (listener, maxConnections)
    bodyBudget = parts.bodyBudgetBytes
    guard poller.add(listener.descriptor, id: Self.listenerID, interest: .read),
      poller.add(completions.descriptor, id: Self.completionsID, interest: .read)
    else { throw .lastError(in: "epoll_ctl") }
  }

  /// Serves until the server is stopped and everything is answered.
  func run() {
    repeat {
      for event in poller.wait(timeoutMilliseconds: pollTimeout) { handle(event) }
      beginShutdownIfRequested()
      checkTimeouts()
    } while !isFinished
  }

  private var isFinished: Bool {
    guard let shutdownDeadline else { return false }
    return connections.isEmpty || status.state == .stopped || ContinuousClock.now >= shutdownDeadline
  }

  private var pollTimeout: Int? {
    let hasNoDeadline = connections.isEmpty && isAccepting
    return hasNoDeadline ? nil : timeouts.pollInterval.wholeMilliseconds
  }

  private func handle(_ event: PollEvent) {
    switch event.id {
    case Self.listenerID: accept()
    case Self.completionsID: for work in completions.drain() { complete(work) }
    default: if let connection = connections[event.id] { handle(event, connection) }
    }
  }

  private func handle(_ event: PollEvent, _ connection: HTTPConnection) {
    if event.isPeerClosed { connection.isPeerClosed = true }
    switch connection.phase {
    case .idle, .readingHead, .readingBody: if event.isReadable || event.isError { read(connection) }
    case .processing: if event.isPeerClosed || event.isError { handleDisconnect(connection, isError: event.isError) }
    case .writing: if event.isWritable || event.isError { process(connection) }
    case .lingering: if event.isReadable || event.isError { discard(connection) }
    }
  }

  private func read(_ connection: HTTPConnection) {
    switch connection.socket.read(into: &readScratch) {
    case .wouldBlock: break
    case .closed: close(connection)
    case .bytes(let count):
      if connection.parser.isBetweenRequests { connection.exchange = HTTPExchange(startTime: .now) }
      connection.parser.append(readScratch[..<count])
      process(connection)
    }
  }

  /// Reads over what nobody wants, so that the answer reaches a client that is still sending.
  private func discard(_ connection: HTTPConnection) {
    switch connection.socket.read(into: &readScratch) {
    case .wouldBlock: break
    case .closed: close(connection)
    case .bytes(let count):
      connection.discardedBytes += count
      if connection.discardedBytes > HTTPLimits.maxDiscardedBytes { close(connection) }
    }
  }

  /// Looks at all connections from time to time; so many are looked at quickly.
  private func checkTimeouts() {
    let now = ContinuousClock.now
    guard now >= nextTimeoutCheck else { return }
    nextTimeoutCheck = now + timeouts.pollInterval
    for connection in connections.values {
      if let deadline = connection.deadline, deadline <= now { handleTimeout(connection) }
    }
    resumeAccepting()
  }
}

extension Duration {
  var wholeMilliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension EventLoop {
  /// Takes the connections that have come, but not so many that the others have to wait.
  func accept() {
    for _ in 0..<Self.maxAcceptsPerEvent {
      guard connections.count < maxConnections else { return pauseAccepting() }
      switch listener?.accept() {
      case .accepted(let socket): add(socket)
      case .resourceExhausted: return pauseAccepting()
      case .wouldBlock, nil: return
      }
    }
  }

  /// Takes all who have come before the server was stopped.
  func acceptPending() {
    while connections.count < maxConnections,
      case .accepted(let socket)? = listener?.accept()
    { add(socket) }
  }

  /// Goes on after there was no room, as soon as there may be some.
  func resumeAccepting() {
    guard !isAccepting, let listener, connections.count < maxConnections else { return }
    isAccepting = true
    poller.modify(listener.descriptor, id: Self.listenerID, interest: .read)
  }

  /// Lets those who come wait in the kernel, where they cost nothing.
  private func pauseAccepting() {
    guard let listener else { return }
    isAccepting = false
    poller.modify(listener.descriptor, id: Self.listenerID, interest: [])
  }

  private func add(_ socket: Socket) {
    lastID += 1
    let connection = HTTPConnection(lastID, socket, .now)
    connection.interest = .read
    guard poller.add(socket.descriptor, id: connection.id, interest: .read) else { return }
    connections[connection.id] = connection
    connection.deadline = .now + timeout(for: .idle)
    updateConnectionCount()
  }

  private static let maxAcceptsPerEvent = 64

  func updateConnectionCount() {
    let count = connections.count
    status.updateLoad { $0.connections = count }
  }
}

extension EventLoop {
  /// Begins to stop when somebody has said so.
  func beginShutdownIfRequested() {
    guard status.state != .ready, shutdownDeadline == nil else { return }
    acceptPending()
    shutdownDeadline = .now + timeouts.shutdown
    if let listener { poller.remove(listener.descriptor, id: Self.listenerID) }
    listener = nil
    for connection in connections.values where connection.phase == .idle {
      connection.deadline = .now + timeout(for: .idle)
    }
  }
}
