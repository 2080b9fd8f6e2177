import TensorIOSystem

extension EventLoop {
  /// Parses received bytes and sends responses until either would block.
  func process(_ connection: HTTPConnection) {
    var wasBufferFull: Bool
    repeat {
      while connection.canRead, !connection.isWriteBufferFull, processNextEvent(connection) {}
      wasBufferFull = connection.isWriteBufferFull
      guard flush(connection) else { return close(connection) }
    } while wasBufferFull && connection.writeBuffer.isEmpty
    updatePhase(connection)
  }

  /// Processes the next parsed element; returns whether there was one.
  private func processNextEvent(_ connection: HTTPConnection) -> Bool {
    do throws(HTTPRejection) {
      switch try connection.parser.nextEvent() {
      case .head(let head): try beginRequest(head, connection)
      case .body(let body):
        try holdMemory(body.count, connection)
        dispatch(body, connection)
      case nil:
        try holdMemory(connection.parser.receivedBodyBytes, connection)
        return false
      }
    } catch { reject(error, connection) }
    return true
  }

  /// Applies the policy to a request's head, and accepts its body.
  private func beginRequest(
    _ head: RequestHead, _ connection: HTTPConnection
  ) throws(HTTPRejection) {
    connection.exchange.record(head, id: requestIDs.id(for: head.headers))
    connection.exchange.trace = trace(of: head.headers, since: connection.exchange.startTime)
    let route = try policy.route(of: head)
    connection.exchange.route = route
    if let response = unavailability(of: route, connection) {
      throw HTTPRejection(response, closesConnection: true)
    }
    let limit = policy.maxBodyBytes(route, head)
    try connection.parser.acceptBody(maxBytes: limit)
    let reservation = MemoryReservation(memory)
    connection.memory = reservation
    do throws(ClientError) {
      try reservation.checkCapacity(head.framing.minBytes, for: .receiving)
    } catch {
      connection.parser.end()
      throw .noMemory(error)
    }
    if head.expects100Continue, !connection.parser.hasUnreadBytes {
      connection.writeBuffer.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
  }

  /// Returns the response to requests that a connection is too late or too many for.
  func unavailability(of route: Route, _ connection: HTTPConnection) -> HTTPResponse? {
    guard route.execution != .inline else { return nil }
    if connection.isLate { return .shuttingDown }
    return connection.isReserved && isCrowded ? .tooManyConnections : nil
  }

  /// Returns the trace that the client's header continues, or a new one if it is to be sampled.
  func trace(of headers: HTTPHeaders, since startTime: ContinuousClock.Instant) -> RequestTrace? {
    let context =
      headers["traceparent"].flatMap { TraceContext($0) }
      ?? (traceRatio > 0 && .random(in: 0..<1) < traceRatio ? TraceContext.random() : nil)
    return context.map { context in
      let elapsed = startTime.duration(to: .now)
      return RequestTrace(context, start: Platform.unixNanoseconds - elapsed.nanoseconds)
    }
  }

  /// Reserves memory for the bytes of a body that have been received.
  ///
  /// A client that announces a large body, but does not send it, holds nothing.
  private func holdMemory(
    _ receivedBytes: Int, _ connection: HTTPConnection
  ) throws(HTTPRejection) {
    guard let memory = connection.memory, receivedBytes > memory.byteCount else { return }
    do throws(ClientError) {
      try memory.grow(by: receivedBytes - memory.byteCount, for: .receiving)
    } catch {
      connection.parser.end()
      throw .noMemory(error)
    }
  }

  /// Runs the handler of a complete request, or adds the request to the queue.
  private func dispatch(_ body: [UInt8], _ connection: HTTPConnection) {
    guard let head = connection.exchange.head, let route = connection.exchange.route else { return }
    connection.exchange.requestBytes = body.count
    var request = HTTPRequest(
      id: connection.exchange.framing.requestID, head.line.method, head.line.target,
      headers: head.headers, body: body)
    connection.exchange.modelName = route.modelName(of: request)
    let response = submit(&request, to: route, connection) {
      RequestContext(
        deadline: .now + timeouts.request, trace: connection.exchange.trace,
        isAdministrator: policy.isAdministrator(head.headers), memory: connection.memory)
    }
    if let response { return respond(response, connection) }
    connection.context = request.context
    enter(.processing, connection)
  }

  /// Runs the handler of a request, or adds the request to the queue with a context; returns the
  /// response if it is known.
  func submit(
    _ request: inout HTTPRequest, to route: Route, _ connection: HTTPConnection,
    context: () -> RequestContext
  ) -> HTTPResponse? {
    guard route.execution != .inline else { return route.respond(to: request) }
    if let response = route.rejection(of: request) { return response }
    request.context = context()
    let work = QueuedRequest(
      connectionID: connection.id, request: request, route: route, enqueuedAt: .now)
    if queue.enqueue(work) { return nil }
    route.overload?(route.withPathParameters(request))
    return route.errorForm?(.overloaded) ?? .overloaded
  }

  /// Sends the response to a rejected request.
  func reject(_ rejection: HTTPRejection, _ connection: HTTPConnection) {
    if connection.exchange.framing.requestID.isEmpty {
      connection.exchange.record(connection.parser.requestLine, id: requestIDs.id(for: nil))
    }
    connection.isClosing = rejection.closesConnection
    if !rejection.closesConnection { connection.parser.skipBody() }
    respond(rejection.response, connection)
  }

  /// Adds a response to the write buffer, and prepares for the next request.
  func respond(_ response: HTTPResponse, _ connection: HTTPConnection) {
    if let stream = response.stream(connection.exchange.framing) {
      return beginStream(stream, response, connection)
    }
    var response = response
    let memory = connection.memory ?? MemoryReservation(memory)
    connection.memory = nil
    if response.body.count > HTTPLimits.maxUncountedBytes, !memory.holds(response.body.count) {
      response = ClientError.memoryExhausted.response
    }
    let head = head(of: response, connection)
    let body = response.serializedBody(connection.exchange.framing)
    connection.exchange.responseBytes = body.count
    connection.writeBuffer.append(head, body)
    memory.resize(to: body.count)
    if !body.isEmpty { connection.unsentMemory.append(memory) }
    completeExchange(connection)
  }

  /// Decides whether a connection closes after a response, and returns the bytes of its head.
  func head(of response: HTTPResponse, _ connection: HTTPConnection) -> [UInt8] {
    let framing = connection.exchange.framing
    connection.isClosing =
      connection.isClosing || connection.exchange.closesConnection || shutdownDeadline != nil
      || connection.isReserved && isCrowded
      || framing.isHTTP10 && response.stream(framing) != nil
    connection.exchange.framing.closesConnection = connection.isClosing
    connection.exchange.record(response)
    return response.serializedHead(connection.exchange.framing)
  }

  /// Prepares for the next request, after the last bytes of a response were added to the write
  /// buffer.
  func completeExchange(_ connection: HTTPConnection) {
    var exchange = connection.exchange
    exchange.trace = connection.context?.trace ?? exchange.trace
    exchange.modelName = connection.context?.modelName ?? exchange.modelName
    (connection.context, connection.stream, connection.nextProbe) = (nil, nil, nil)
    connection.hasDeferredBytes = false
    connection.hasCompletedRequest = true
    connection.unreportedExchanges.append(exchange)
    connection.exchange = HTTPExchange(startTime: .now)
    (connection.phase, connection.phaseStart) = (.idle, .now)
    connection.deadline = connection.phaseStart + timeout(for: .idle)
    if connection.isClosing { connection.parser.end() }
  }

  /// Sends the response from a worker thread, unless the connection is closed by now.
  func complete(_ work: CompletedResponse) {
    guard let connection = connections[work.connectionID] else { return }
    if let session = connection.http2 { return complete(work, connection, session) }
    guard connection.context === work.context else { return }
    connection.exchange.queueDuration = work.task.queueDuration
    withExtendedLifetime(work.task) { respond(work.response, connection) }
    process(connection)
  }
}

extension HTTPResponse {
  /// The response when the queue is full.
  static let overloaded = unavailable("overloaded", "too many requests are queued")
  /// The response on a connection for health checks only.
  static let tooManyConnections = unavailable("overloaded", "too many connections are open")
  /// The response to a request that exceeds the limit on its total time.
  static let timedOut = ClientError.timedOut.response
  /// The response to requests that are not done when the server stops.
  static let shuttingDown = ClientError.shuttingDown.response
}

extension ClientError {
  /// A request or a stream exceeds one of its limits on time.
  static let timedOut = ClientError(
    .serviceUnavailable, "timed-out", "the request exceeded its time limit")
  /// The server stops before a request is done.
  static let shuttingDown = ClientError(
    .serviceUnavailable, "shutting-down", "the server is shutting down")
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
