import TensorIOSystem

/// Reads and writes connections on one thread.
///
/// A connection is not read while its request is being handled. Responses therefore keep the order
/// of requests, and a client cannot send requests faster than it receives responses.
///
/// A server with several loops has one ``EventLoopGroup``, whose first loop accepts the connections of all.
final class EventLoop {
  let poller: Poller
  let group: EventLoopGroup
  /// The number of this loop in its group.
  let index: Int
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

  /// The sockets that accept connections, the second one HTTP/2 only; none if another loop accepts them.
  let listeners: [SocketListener]
  /// The library for HTTP/2; `nil` if it is not supported.
  let http2: HTTP2Library?
  let grpc: GRPCRouter
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
  var lastID: UInt64
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

  /// The identifiers of what else is polled: those of the listening sockets, and of the queue of completions.
  static let listenerIDs: [UInt64] = [0, 1]
  static let completionsID: UInt64 = 2

  init(
    _ parts: ServerComponents, index: Int = 0, _ listeners: [SocketListener], maxConnections: Int
  ) throws(ListenError) {
    poller = try Poller()
    (group, self.index, queue, status) = (parts.group, index, parts.queue, parts.status)
    completions = parts.group.completions[index]
    lastID = EventLoopGroup.firstID(of: index) + Self.completionsID
    (policy, timeouts, observer) = (parts.policy, parts.timeouts, parts.observer)
    checkInterval = timeouts.pollInterval
    traceRatio = parts.traceRatio
    (self.listeners, self.maxConnections) = (listeners, maxConnections)
    maxOrdinaryConnections = Self.ordinaryConnections(of: maxConnections)
    (http2, grpc) = (parts.grpc?.library, parts.grpcRouter)
    memory = parts.memory
    let sources =
      [(completions.descriptor, Self.completionsID)]
      + zip(listeners.map(\.descriptor), Self.listenerIDs)
    for (descriptor, id) in sources
    where !poller.add(descriptor, id: id, interest: .read) { throw .lastError(in: "epoll_ctl") }
  }

  /// Serves until the server is stopped and all accepted requests are complete.
  func run() {
    repeat {
      let events = poller.wait(timeoutMilliseconds: pollTimeout)
      // What arrives after `stop()` is answered as such, on any loop.
      beginShutdownIfRequested()
      for event in events { handle(event) }
      checkTimeouts()
      resumeAccepting()
      answerUnfinishedIfDue()
    } while !isFinished()
    reportUnanswered()
    if index > 0 { group.recordEnd() }
  }

  private func isFinished() -> Bool {
    guard shutdownDeadline != nil else { return false }
    if status.state == .stopped || finalDeadline.map({ ContinuousClock.now >= $0 }) == true {
      return true
    }
    guard index == 0 else {
      return group.isDoneAccepting && completions.isEmpty && connections.isEmpty
    }
    guard connections.values.allSatisfy(\.isLate), group.othersAreDone else { return false }
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
    case Self.completionsID:
      for item in completions.drain() {
        switch item {
        case .response(let work): complete(work)
        case .body(let writer): continueStream(of: writer)
        case .connection(let accepted): add(accepted)
        case .makeRoom: closeWaitingConnections()
        }
      }
    default:
      if let connection = connections[event.id] {
        handle(event, connection)
      } else if let position = Self.listenerIDs.firstIndex(of: event.id),
        listeners.indices.contains(position)
      {
        accept(from: listeners[position])
      }
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
      guard group.connectionCount < maxOrdinaryConnections || listener.hasPendingConnection else {
        return
      }
      guard makeRoom() else { return pauseAccepting() }
      switch listener.accept() {
      case .accepted(let socket): assign(socket, from: listener)
      case .resourceExhausted:
        requestRoom()
        return pauseAccepting()
      case .wouldBlock: return
      }
    }
  }

  /// Accepts all connections that were established before the server stopped.
  func acceptPending() {
    for listener in listeners {
      while group.connectionCount < maxConnections,
        case .accepted(let socket) = listener.accept()
      { assign(socket, from: listener) }
    }
  }

  /// Resumes accepting once connections or descriptors may be available again.
  func resumeAccepting(_ now: ContinuousClock.Instant = .now) {
    guard !isAccepting, group.connectionCount < maxOrdinaryConnections || now >= nextAcceptTime
    else { return }
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
    for (listener, id) in zip(listeners, Self.listenerIDs) {
      poller.modify(listener.descriptor, id: id, interest: interest)
    }
  }

  /// Hands a new connection to a loop; this one keeps those that are to be rejected because the server stops.
  private func assign(_ socket: Socket, from listener: SocketListener) {
    let isLate = shutdownDeadline != nil
    let accepted = AcceptedConnection(
      socket: socket, requiresHTTP2: listener !== listeners.first, isLate: isLate,
      isReserved: group.connectionCount >= maxOrdinaryConnections)
    let loop = isLate ? group.reserve(for: index) : group.reserve()
    guard loop != index else { return add(accepted) }
    group.completions[loop].enqueue(.connection(accepted))
  }

  private func add(_ accepted: AcceptedConnection) {
    let socket = accepted.socket
    lastID += 1
    let connection = HTTPConnection(lastID, socket, requiresHTTP2: accepted.requiresHTTP2, .now)
    connection.interest = [.read, .peerClosed]
    (connection.isLate, connection.isReserved) = (accepted.isLate, accepted.isReserved)
    guard poller.add(socket.descriptor, id: connection.id, interest: connection.interest)
    else { return group.release(index) }
    connections[connection.id] = connection
    connection.deadline = .now + timeout(for: .idle)
  }

  private static let maxAcceptsPerEvent = 64
}

extension EventLoop {
  /// Starts the shutdown if ``HTTPServer/stop()`` was called.
  ///
  /// Requests of clients that are connected are completed; those of later ones are rejected.
  func beginShutdownIfRequested() {
    guard status.state != .ready, shutdownDeadline == nil else { return }
    if index == 0 {
      acceptPending()
      group.endAccepting()
    }
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
