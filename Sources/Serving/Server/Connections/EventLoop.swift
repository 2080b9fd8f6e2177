import TensorIOSystem

/// Reads and writes all connections on one thread.
///
/// A connection is not read while its request is being handled. Responses therefore keep the order
/// of requests, and a client cannot send requests faster than it receives responses.
final class EventLoop {
  let poller: Poller
  let completions: CompletionQueue
  let queue: RequestQueue
  let policy: RequestPolicy
  let timeouts: HTTPTimeouts
  /// The interval at which deadlines are checked.
  private let checkInterval: Duration
  let status: ServerStatus
  let observer: any RequestObserver
  /// The fraction of requests without a trace that begin one.
  let traceRatio: Double

  let listener: SocketListener
  /// The socket that accepts HTTP/2 only.
  let http2Listener: SocketListener?
  /// The library for HTTP/2; `nil` if it is not supported.
  let http2: HTTP2Library?
  let grpc: GRPCRouter
  /// The number of calls that watch a result.
  var watchCount = 0
  /// Whether the listening sockets are being polled.
  var isAccepting = true
  var connections: [UInt64: HTTPConnection] = [:]
  let maxConnections: Int
  /// The number of connections that are not for health checks only.
  let maxOrdinaryConnections: Int
  /// Since when there has been no room for another connection.
  var crowdedSince: ContinuousClock.Instant?
  /// When to accept connections again, if that is paused.
  private var nextAcceptTime = ContinuousClock.now
  var lastID: UInt64 = EventLoop.http2ListenerID
  var requestIDs = RequestIDGenerator()
  /// The memory for requests and their responses.
  let memory: MemoryBudget
  /// The deadline for the remaining requests, once the server is stopping.
  var shutdownDeadline: ContinuousClock.Instant?
  /// The deadline for sending the last responses, once `shutdownDeadline` has passed.
  private var finalDeadline: ContinuousClock.Instant?
  /// The deadline for clients that connected after the server began to stop.
  private var lateDeadline: ContinuousClock.Instant?
  private var nextTimeoutCheck = ContinuousClock.now
  /// Shared by all connections, so that idle ones need no buffer.
  private var readScratch = [UInt8](repeating: 0, count: 64 << 10)

  static let listenerID: UInt64 = 0
  static let completionsID: UInt64 = 1
  static let http2ListenerID: UInt64 = 2

  init(
    _ parts: ServerComponents, _ listener: SocketListener, http2Listener: SocketListener? = nil,
    maxConnections: Int
  ) throws(ListenError) {
    poller = try Poller()
    (completions, queue, status) = (parts.completions, parts.queue, parts.status)
    (policy, timeouts, observer) = (parts.policy, parts.timeouts, parts.observer)
    checkInterval = timeouts.pollInterval
    traceRatio = parts.traceRatio
    (self.listener, self.maxConnections) = (listener, maxConnections)
    maxOrdinaryConnections = Self.ordinaryConnections(of: maxConnections)
    (self.http2Listener, http2, grpc) = (http2Listener, parts.grpc?.library, parts.grpcRouter)
    memory = parts.memory
    guard poller.add(listener.descriptor, id: Self.listenerID, interest: .read),
      poller.add(completions.descriptor, id: Self.completionsID, interest: .read)
    else { throw .lastError(in: "epoll_ctl") }
    guard let http2Listener else { return }
    guard poller.add(http2Listener.descriptor, id: Self.http2ListenerID, interest: .read) else {
      throw .lastError(in: "epoll_ctl")
    }
  }

  /// Serves until the server is stopped and all accepted requests are complete.
  func run() {
    repeat {
      for event in poller.wait(timeoutMilliseconds: pollTimeout) { handle(event) }
      beginShutdownIfRequested()
      checkTimeouts()
      resumeAccepting()
      answerUnfinishedIfDue()
    } while !isFinished()
    reportUnanswered()
  }

  private func isFinished() -> Bool {
    guard shutdownDeadline != nil else { return false }
    if status.state == .stopped || finalDeadline.map({ ContinuousClock.now >= $0 }) == true {
      return true
    }
    guard connections.values.allSatisfy(\.isLate) else { return false }
    let deadline = lateDeadline ?? .now + timeouts.drainGrace
    lateDeadline = deadline
    acceptPending()
    return connections.isEmpty || ContinuousClock.now >= deadline
  }

  private var pollTimeout: Int? {
    guard isAccepting else {
      return min(checkInterval, Self.acceptInterval).wholeMilliseconds
    }
    return connections.isEmpty ? nil : checkInterval.wholeMilliseconds
  }

  private func handle(_ event: PollEvent) {
    switch event.id {
    case Self.listenerID: accept(from: listener)
    case Self.http2ListenerID: if let http2Listener { accept(from: http2Listener) }
    case Self.completionsID:
      for item in completions.drain() {
        switch item {
        case .response(let work): complete(work)
        case .body(let writer): continueStream(of: writer)
        }
      }
    default: if let connection = connections[event.id] { handle(event, connection) }
    }
  }

  private func handle(_ event: PollEvent, _ connection: HTTPConnection) {
    if let session = connection.http2 { return handle(event, connection, session) }
    switch connection.phase {
    case .idle, .readingHead, .readingBody:
      if event.isReadable || event.isError { read(connection) }
    case .processing, .streaming:
      if event.isPeerClosed || event.isError {
        connection.isPeerClosed = connection.isPeerClosed || event.isPeerClosed
        handleDisconnect(connection, isError: event.isError)
      } else if event.isReadable {
        deferReading(connection)
      } else if event.isWritable {
        continueStream(connection)
      }
    case .writing: if event.isWritable || event.isError { process(connection) }
    case .lingering: if event.isReadable || event.isError { discard(connection) }
    }
  }

  func read(_ connection: HTTPConnection) {
    let socket = connection.socket
    let direct = connection.parser.readBody { limit, body in
      socket.read(upTo: limit, appendingTo: &body)
    }
    switch direct {
    case nil: break
    case .wouldBlock: return
    case .closed: return close(connection)
    case .bytes: return process(connection)
    }
    switch connection.socket.read(into: &readScratch) {
    case .wouldBlock: break
    case .closed: close(connection)
    case .bytes(let count):
      if let session = connection.http2 {
        return receive(readScratch[..<count], connection, session)
      }
      if connection.parser.isBetweenRequests { connection.exchange = HTTPExchange(startTime: .now) }
      guard connection.isProtocolKnown else {
        return receiveFirst(readScratch[..<count], connection)
      }
      connection.parser.append(readScratch[..<count])
      process(connection)
    }
  }

  /// Discards received bytes, so that a client that is still sending receives the response.
  private func discard(_ connection: HTTPConnection) {
    switch connection.socket.read(into: &readScratch) {
    case .wouldBlock: break
    case .closed: close(connection)
    case .bytes(let count):
      connection.discardedBytes += count
      if connection.discardedBytes > HTTPLimits.maxDiscardedBytes { close(connection) }
    }
  }

  /// Checks the deadlines of all connections periodically; a scan is fast enough.
  private func checkTimeouts() {
    let now = ContinuousClock.now
    guard now >= nextTimeoutCheck else { return }
    nextTimeoutCheck = now + checkInterval
    for connection in connections.values {
      if let session = connection.http2 {
        checkDeadlines(of: connection, session, now)
      } else if let deadline = connection.deadline, deadline <= now {
        handleTimeout(connection)
      } else if let time = connection.nextProbe, time <= now {
        probe(connection)
      }
    }
  }
}

// MARK: The end of a shutdown

extension EventLoop {
  /// Answers the requests that are not done when the time for stopping is over.
  private func answerUnfinishedIfDue() {
    guard finalDeadline == nil, let shutdownDeadline, ContinuousClock.now >= shutdownDeadline else {
      return
    }
    finalDeadline = .now + timeouts.finalResponses
    for connection in connections.values {
      if let session = connection.http2 {
        answerUnfinished(connection, session)
        continue
      }
      switch connection.phase {
      case .processing:
        answerUnfinished(connection, .shuttingDown)
        process(connection)
      case .streaming: endStream(connection, .shuttingDown)
      case .readingHead, .readingBody:
        reject(HTTPRejection(.shuttingDown, closesConnection: true), connection)
        process(connection)
      case .idle: close(connection)
      case .writing, .lingering: break
      }
    }
  }

  /// Logs the requests that get no response because the server stops immediately.
  private func reportUnanswered() {
    for connection in connections.values {
      cancelCalls(connection, status: HTTPStatus.serviceUnavailable.code)
      if connection.context != nil {
        connection.context?.cancel()
        connection.exchange.status = HTTPStatus.serviceUnavailable.code
        connection.unreportedExchanges.append(connection.exchange)
      }
      reportCompleted(connection)
    }
  }
}

extension Duration {
  var wholeMilliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension EventLoop {
  /// Accepts pending connections, up to a limit per event so that others are not delayed.
  func accept(from listener: SocketListener) {
    for _ in 0..<Self.maxAcceptsPerEvent {
      guard connections.count < maxOrdinaryConnections || listener.hasPendingConnection else {
        return
      }
      guard makeRoom() else { return pauseAccepting() }
      switch listener.accept() {
      case .accepted(let socket): add(socket, requiresHTTP2: listener === http2Listener)
      case .resourceExhausted:
        closeWaitingConnections()
        return pauseAccepting()
      case .wouldBlock: return
      }
    }
  }

  /// Accepts all connections that were established before the server stopped.
  func acceptPending() {
    for listener in [listener, http2Listener].compactMap(\.self) {
      while connections.count < maxConnections,
        case .accepted(let socket) = listener.accept()
      { add(socket, requiresHTTP2: listener === http2Listener) }
    }
  }

  /// Resumes accepting once connections or descriptors may be available again.
  func resumeAccepting(_ now: ContinuousClock.Instant = .now) {
    guard !isAccepting, connections.count < maxOrdinaryConnections || now >= nextAcceptTime else {
      return
    }
    isAccepting = true
    updateListeners(.read)
  }

  /// Leaves new connections in the kernel's backlog for a moment.
  private func pauseAccepting() {
    isAccepting = false
    nextAcceptTime = .now + Self.acceptInterval
    updateListeners([])
  }

  private func updateListeners(_ interest: PollInterest) {
    poller.modify(listener.descriptor, id: Self.listenerID, interest: interest)
    guard let http2Listener else { return }
    poller.modify(http2Listener.descriptor, id: Self.http2ListenerID, interest: interest)
  }

  private func add(_ socket: Socket, requiresHTTP2: Bool) {
    lastID += 1
    let connection = HTTPConnection(lastID, socket, requiresHTTP2: requiresHTTP2, .now)
    connection.interest = [.read, .peerClosed]
    connection.isLate = shutdownDeadline != nil
    connection.isReserved = connections.count >= maxOrdinaryConnections
    guard poller.add(socket.descriptor, id: connection.id, interest: connection.interest)
    else { return }
    connections[connection.id] = connection
    connection.deadline = .now + timeout(for: .idle)
    updateConnectionCount()
  }

  private static let maxAcceptsPerEvent = 64

  func updateConnectionCount() {
    status.setConnectionCount(connections.count)
  }
}

extension EventLoop {
  /// Starts the shutdown if ``HTTPServer/stop()`` was called.
  ///
  /// Requests of clients that are connected are completed; those of later ones are rejected.
  func beginShutdownIfRequested() {
    guard status.state != .ready, shutdownDeadline == nil else { return }
    acceptPending()
    shutdownDeadline = .now + timeouts.shutdown
    for connection in connections.values {
      if let session = connection.http2 {
        announceShutdown(connection, session)
      } else if connection.phase == .idle {
        connection.deadline = .now + timeout(for: .idle)
      }
    }
  }
}
