extension EventLoop {
  /// Takes a connection as far as it goes with what has come and what can be sent.
  func process(_ connection: HTTPConnection) {
    var mayGoOn: Bool
    repeat {
      while connection.canRead, !connection.isWriteBufferFull, processNextEvent(connection) {}
      mayGoOn = connection.isWriteBufferFull
      guard flush(connection) else { return close(connection) }
    } while mayGoOn && connection.writeBuffer.isEmpty
    updatePhase(connection)
  }

  /// Takes the next thing out of what has come; says whether there was one.
  private func processNextEvent(_ connection: HTTPConnection) -> Bool {
    do throws(HTTPRejection) {
      switch try connection.parser.nextEvent() {
      case .head(let head): try beginRequest(head, connection)
      case .body(let body): dispatch(body, connection)
      case nil: return false
      }
    } catch { reject(error, connection) }
    return true
  }

  /// Judges a request by its head, and lets its body come.
  private func beginRequest(_ head: RequestHead, _ connection: HTTPConnection) throws(HTTPRejection) {
    connection.exchange.record(head, id: requestIDs.id(for: head.headers))
    let route = try policy.route(of: head)
    connection.exchange.route = route
    let limit = policy.maxBodyBytes(route, head)
    try connection.parser.acceptBody(maxBytes: limit)
    try reserveBody(head.framing.maxBytes(within: limit), connection)
    if head.expects100Continue, !connection.parser.hasUnreadBytes {
      connection.writeBuffer.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
  }

  /// Keeps room for a body, so that many large ones at once do not take all memory.
  private func reserveBody(_ bytes: Int, _ connection: HTTPConnection) throws(HTTPRejection) {
    guard bytes <= bodyBudget else {
      connection.parser.end()
      throw .bodyBudgetExceeded()
    }
    (bodyBudget, connection.reservedBodyBytes) = (bodyBudget - bytes, bytes)
  }

  func releaseBody(_ connection: HTTPConnection) {
    (bodyBudget, connection.reservedBodyBytes) = (bodyBudget + connection.reservedBodyBytes, 0)
  }

  /// Answers a request that is whole, or leaves it to a worker.
  private func dispatch(_ body: [UInt8], _ connection: HTTPConnection) {
    guard let head = connection.exchange.head, let route = connection.exchange.route else { return }
    connection.exchange.requestBytes = body.count
    let request = HTTPRequest(
      id: connection.exchange.framing.requestID, head.line.method, head.line.target, headers: head.headers,
      body: body)
    guard route.execution == .queued else { return respond(route.respond(to: request), connection) }
    let work = QueuedRequest(connectionID: connection.id, request: request, route: route, enqueuedAt: .now)
    if queue.enqueue(work) {
      enter(.processing, connection)
    } else {
      respond(.overloaded, connection)
    }
  }

  /// Answers a request that cannot be answered otherwise.
  func reject(_ refusal: HTTPRejection, _ connection: HTTPConnection) {
    if connection.exchange.framing.requestID.isEmpty {
      connection.exchange.record(connection.parser.requestLine, id: requestIDs.id(for: nil))
    }
    connection.isClosing = refusal.closesConnection
    if !refusal.closesConnection { connection.parser.skipBody() }
    respond(refusal.response, connection)
  }

  /// Puts an answer into the outbox, and gets ready for the next request.
  func respond(_ response: HTTPResponse, _ connection: HTTPConnection) {
    releaseBody(connection)
    var exchange = connection.exchange
    connection.isClosing = connection.isClosing || exchange.closesConnection || shutdownDeadline != nil
    exchange.framing.closesConnection = connection.isClosing
    exchange.status = response.status.code
    let body = response.serializedBody(exchange.framing)
    exchange.responseBytes = body.count
    connection.writeBuffer.append(response.serializedHead(exchange.framing), body)
    connection.unreportedExchanges.append(exchange)
    connection.exchange = HTTPExchange(startTime: .now)
    (connection.phase, connection.deadline) = (.idle, .now + timeout(for: .idle))
    if connection.isClosing { connection.parser.end() }
  }

  /// Answers what a worker has done; nobody may be there for it any more.
  func complete(_ work: CompletedResponse) {
    guard let connection = connections[work.connectionID], connection.phase == .processing else { return }
    connection.exchange.queueDuration = work.queueDuration
    respond(work.response, connection)
    process(connection)
  }
}

extension HTTPResponse {
  /// The answer when too many wait already.
  static let overloaded = unavailable("overloaded", "too many requests are waiting")
}

extension HTTPExchange {
  fileprivate var closesConnection: Bool { head?.closesConnection ?? true }

  fileprivate mutating func record(_ head: RequestHead, id: String) {
    record(head.line, id: id)
    self.head = head
    framing.isHTTP10 = head.line.version == .http10
  }

  fileprivate mutating func record(_ line: RequestLine?, id: String) {
    framing.requestID = id
    (method, path) = (line?.method.rawValue ?? "", line?.path ?? "")
    framing.omitsBody = line?.method == .head
  }
}

extension EventLoop {
  /// Writes what can be written; says whether anybody is there to read it.
  func flush(_ connection: HTTPConnection) -> Bool {
    guard connection.writeBuffer.flush(to: connection.socket) else { return false }
    if connection.writeBuffer.isEmpty { reportCompleted(connection) }
    return true
  }

  /// Finds out what a connection waits for now.
  func updatePhase(_ connection: HTTPConnection) {
    if !connection.writeBuffer.isEmpty {
      enter(.writing, connection)
    } else if connection.isClosing {
      guard !connection.isPeerClosed else { return close(connection) }
      if connection.phase != .lingering { connection.socket.shutdownWrite() }
      enter(.lingering, connection)
    } else if connection.phase != .processing {
      enter(connection.parser.phase, connection)
    }
    updateInterest(connection)
  }

  /// Begins a phase; its patience begins with it and not with every byte.
  func enter(_ phase: HTTPConnection.Phase, _ connection: HTTPConnection) {
    guard connection.phase != phase else { return }
    connection.phase = phase
    connection.deadline = .now + timeout(for: phase)
  }

  func timeout(for phase: HTTPConnection.Phase) -> Duration {
    switch phase {
    case .idle: shutdownDeadline == nil ? timeouts.idle : timeouts.drainGrace
    case .readingHead: timeouts.head
    case .readingBody: timeouts.body
    case .processing: timeouts.queue
    case .writing: timeouts.write
    case .lingering: shutdownDeadline == nil ? timeouts.linger : min(timeouts.linger, timeouts.drainGrace)
    }
  }

  /// Gives up a connection whose patience is over.
  func handleTimeout(_ connection: HTTPConnection) {
    switch connection.phase {
    case .readingHead, .readingBody:
      reject(.requestTimeout(), connection)
      process(connection)
    case .processing:
      connection.deadline = nil
      guard queue.cancel(connection.id) else { return }
      respond(.overloaded, connection)
      process(connection)
    case .writing:
      connection.socket.setLingerZero()
      close(connection)
    case .idle, .lingering: close(connection)
    }
  }

  /// Notes that the client of a request has gone; nobody works for it who has not begun.
  func handleDisconnect(_ connection: HTTPConnection, isError isBroken: Bool) {
    if queue.cancel(connection.id) {
      connection.exchange.status = Self.statusClientClosedRequest
      connection.unreportedExchanges.append(connection.exchange)
      close(connection)
    } else if isBroken {
      // A socket that is broken says so again and again.
      poller.remove(connection.socket.descriptor, id: connection.id)
      connection.interest = []
    } else {
      updateInterest(connection)
    }
  }

  /// Ends a connection without another word.
  func close(_ connection: HTTPConnection) {
    reportCompleted(connection)
    releaseBody(connection)
    poller.remove(connection.socket.descriptor, id: connection.id)
    connections[connection.id] = nil
    updateConnectionCount()
    resumeAccepting()
  }

  private func updateInterest(_ connection: HTTPConnection) {
    let wanted: PollInterest =
      switch connection.phase {
      case .idle, .readingHead, .readingBody, .lingering: .read
      case .processing: connection.isPeerClosed ? [] : .peerClosed
      case .writing: .write
      }
    guard wanted != connection.interest else { return }
    connection.interest = wanted
    poller.modify(connection.socket.descriptor, id: connection.id, interest: wanted)
  }

  private func reportCompleted(_ connection: HTTPConnection) {
    guard !connection.unreportedExchanges.isEmpty else { return }
    let now = ContinuousClock.now
    for exchange in connection.unreportedExchanges { observer.requestCompleted(exchange.summary(now)) }
    connection.unreportedExchanges = []
  }

  /// What is noted of a request whose client did not wait for the answer.
  private static let statusClientClosedRequest = 499
}

extension RequestParser {
  fileprivate var phase: HTTPConnection.Phase {
    if isBetweenRequests { return .idle }
    return isReadingBody ? .readingBody : .readingHead
  }
}
