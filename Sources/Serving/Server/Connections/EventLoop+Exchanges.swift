// MARK: Requests of HTTP on HTTP/2

extension EventLoop {
  /// Accepts or rejects a request that is not a call of gRPC.
  func beginExchange(
    _ exchange: HTTP2Exchange, _ headers: HTTPHeaders, _ connection: HTTPConnection,
    _ session: HTTP2Session
  ) {
    connection.exchanges[exchange.stream.id] = exchange
    let progress = ReceivingProgress(timeouts, receivedBytes: 0)
    (exchange.progress, exchange.deadline) = (progress, progress.nextCheck)
    exchange.exchange.framing.omitsBody = exchange.exchange.method == HTTPMethod.head.rawValue
    do throws(HTTPRejection) {
      guard !exchange.stream.hasExcessFields else { throw .headersTooLarge() }
      let method = HTTPMethod(rawValue: exchange.exchange.method)
      let path = exchange.exchange.path
      guard let target = RequestTarget(path),
        let head = RequestHead(method, target, path: path, headers: headers)
      else { throw .malformed("the path or the authority is invalid") }
      exchange.exchange.head = head
      let route = try policy.route(of: head)
      exchange.exchange.route = route
      exchange.maxBodyBytes = policy.maxBodyBytes(route, head)
      if let response = unavailability(of: route, connection) {
        throw HTTPRejection(response, closesConnection: false)
      }
    } catch { respond(error.response, exchange, connection, session) }
  }

  /// Adds received bytes to the body of a request, and handles the request if it is complete.
  func receiveData(
    of exchange: HTTP2Exchange, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    let bytes = exchange.stream.incoming
    exchange.stream.incoming = []
    if !bytes.isEmpty { session.consume(exchange.stream.id, bytes.count) }
    guard exchange.phase == .receiving else { return }
    guard bytes.count <= exchange.maxBodyBytes - exchange.body.count else {
      let rejection = HTTPRejection.bodyTooLarge(exchange.maxBodyBytes)
      return respond(rejection.response, exchange, connection, session)
    }
    do throws(ClientError) {
      try exchange.memory.grow(by: bytes.count, for: .receiving)
    } catch {
      return respond(error.response, exchange, connection, session)
    }
    exchange.body += bytes
    if exchange.stream.isEnded { dispatch(exchange, connection, session) }
  }

  private func dispatch(
    _ exchange: HTTP2Exchange, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    guard let head = exchange.exchange.head, let route = exchange.exchange.route else { return }
    exchange.exchange.requestBytes = exchange.body.count
    var request = HTTPRequest(
      id: exchange.exchange.framing.requestID, head.line.method, head.line.target,
      headers: head.headers, body: exchange.body)
    exchange.body = []
    exchange.exchange.modelName = route.modelName(of: request)
    let response = submit(&request, to: route, connection) {
      RequestContext(
        deadline: .now + timeouts.request, trace: exchange.exchange.trace,
        isAdministrator: policy.isAdministrator(head.headers), memory: exchange.memory)
    }
    if let response { return respond(response, exchange, connection, session) }
    exchange.context = request.context
    connection.streamIDs[ObjectIdentifier(request.context)] = exchange.stream.id
    (exchange.phase, exchange.deadline) = (.processing, .now + timeout(for: .processing))
  }

  /// Sends a response, or the head of one with a stream.
  func respond(
    _ response: HTTPResponse, _ exchange: HTTP2Exchange, _ connection: HTTPConnection,
    _ session: HTTP2Session
  ) {
    if let source = response.stream(exchange.exchange.framing) {
      let context = exchange.context ?? RequestContext()
      exchange.memory.resize(to: 0)
      (exchange.context, exchange.memory) = (context, MemoryReservation(memory))
      exchange.response = startProducer(
        source, response, context, connection, streamID: exchange.stream.id)
      exchange.phase = .streaming
      exchange.deadline = context.deadline ?? .now + timeouts.request
      exchange.nextHeartbeat = .now + timeouts.heartbeat
      return
    }
    var response = response
    if response.body.count > HTTPLimits.maxUncountedBytes,
      !exchange.memory.holds(response.body.count)
    {
      response = ClientError.memoryExhausted.response
    }
    exchange.exchange.record(response)
    let body = response.serializedBody(exchange.exchange.framing)
    exchange.exchange.responseBytes = body.count
    exchange.memory.resize(to: body.count)
    session.respond(
      exchange.stream, response.http2Fields(exchange.exchange.framing), hasBody: !body.isEmpty)
    exchange.stream.send(body)
    exchange.stream.finish([])
    if body.isEmpty, !exchange.stream.isEnded { session.stopReceiving(exchange.stream) }
    complete(exchange, session)
  }

  /// Begins to wait for the client to receive the rest of a response.
  private func complete(_ exchange: HTTP2Exchange, _ session: HTTP2Session) {
    exchange.exchange.trace = exchange.context?.trace ?? exchange.exchange.trace
    exchange.exchange.modelName = exchange.context?.modelName ?? exchange.exchange.modelName
    exchange.context = nil
    (exchange.phase, exchange.deadline) = (.sending, .now + timeouts.write)
    exchange.unsentCount = exchange.stream.outgoingCount
    session.recordCompletion()
  }
}

// MARK: Bodies that are made while they are sent

extension EventLoop {
  /// Lets producers continue whose clients have received enough.
  ///
  /// What they have made by now is sent in the next turn, so that other connections have theirs.
  func recordSentBytes(of connection: HTTPConnection) {
    for exchange in connection.exchanges.values {
      guard let response = exchange.response,
        exchange.stream.outgoingCount < exchange.unsentCount
      else { continue }
      recordUnsent(exchange, response)
      let hasMore = response.writer.recordUnsent(exchange.unsentCount)
      if hasMore, exchange.unsentCount == 0 { completions.enqueue(.body(response.writer)) }
    }
  }

  /// Sends what the producer has made since the last turn, once the client has received the rest.
  func continueStream(
    _ exchange: HTTP2Exchange, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    guard exchange.phase == .streaming, exchange.unsentCount == 0,
      let response = exchange.response, let part = response.nextPart()
    else { return }
    if let response = part.response { return respond(response, exchange, connection, session) }
    send(part.bytes, exchange, session)
    recordUnsent(exchange, response)
    exchange.exchange.error = part.error?.response.error
    guard part.isLast else { return }
    complete(exchange, session)
    guard !part.isCut else { return session.fail(exchange.stream) }
    exchange.stream.finish([])
    session.resume(exchange.stream)
  }

  /// Adds bytes of a producer to a stream, after its head.
  private func send(_ bytes: [UInt8], _ exchange: HTTP2Exchange, _ session: HTTP2Session) {
    guard let response = exchange.response else { return }
    if !response.hasHead {
      exchange.exchange.record(response.response)
      session.respond(
        exchange.stream, response.response.http2Fields(exchange.exchange.framing), hasBody: true)
      exchange.response?.hasHead = true
    }
    exchange.exchange.responseBytes += bytes.count
    exchange.nextHeartbeat = .now + timeouts.heartbeat
    exchange.stream.send(bytes)
    session.resume(exchange.stream)
  }

  /// Starts the time for the client to receive the next byte, or for the producer to make it.
  private func recordUnsent(_ exchange: HTTP2Exchange, _ response: ResponseStream) {
    exchange.unsentCount = exchange.stream.outgoingCount
    exchange.memory.resize(to: exchange.unsentCount)
    let timeout = exchange.unsentCount == 0 ? timeouts.silence : timeouts.write
    exchange.deadline = min(response.deadline, .now + timeout)
  }
}

// MARK: The end of an exchange

extension EventLoop {
  /// Handles the end of a stream, by either side.
  func endExchange(
    _ exchange: HTTP2Exchange, _ connection: HTTPConnection,
    status: Int = statusClientClosedRequest
  ) {
    connection.exchanges[exchange.stream.id] = nil
    (connection.hasCompletedRequest, connection.phaseStart) = (true, .now)
    if exchange.phase != .sending { exchange.exchange.status = status }
    cancelHandler(of: exchange, connection)
    observer.requestCompleted(exchange.exchange.summary(.now, client: connection.client))
  }

  private func cancelHandler(of exchange: HTTP2Exchange, _ connection: HTTPConnection) {
    guard let context = exchange.context else { return }
    // The handler keeps the memory until it ends, which may be long after the response.
    exchange.memory = MemoryReservation(memory)
    connection.streamIDs[ObjectIdentifier(context)] = nil
    context.cancel()
    queue.discard(context)
  }

  /// Ends an exchange with an error, unless its response is complete.
  func end(
    _ exchange: HTTP2Exchange, _ error: ClientError, _ connection: HTTPConnection,
    _ session: HTTP2Session
  ) {
    guard exchange.phase != .sending else { return }
    exchange.response?.writer.finish(.failure(error))
    cancelHandler(of: exchange, connection)
    if exchange.phase == .streaming {
      continueStream(exchange, connection, session)
    } else {
      respond(exchange.exchange.formed(error.response), exchange, connection, session)
    }
  }

  /// Handles the deadlines of exchanges.
  func checkDeadlines(
    ofExchanges connection: HTTPConnection, _ session: HTTP2Session, _ now: ContinuousClock.Instant
  ) {
    for exchange in connection.exchanges.values {
      if exchange.phase == .streaming, exchange.stream.outgoingCount == 0,
        exchange.nextHeartbeat <= now, let heartbeat = exchange.response?.source.heartbeat,
        !heartbeat.isEmpty
      {
        send(heartbeat, exchange, session)
      }
      guard let deadline = exchange.deadline, deadline <= now else { continue }
      switch exchange.phase {
      case .receiving
      where exchange.progress?.mayContinue(receivedBytes: exchange.body.count) == true:
        exchange.deadline = exchange.progress?.nextCheck
      case .receiving:
        respond(HTTPRejection.requestTimeout().response, exchange, connection, session)
      case .processing:
        guard let context = exchange.context else { continue }
        if !queue.cancel(context), !context.isLate {
          exchange.deadline = context.deadline
        } else if context.isLate {
          end(exchange, .timedOut, connection, session)
        } else {
          connection.streamIDs[ObjectIdentifier(context)] = nil
          respond(exchange.exchange.formed(.overloaded), exchange, connection, session)
        }
      case .streaming where exchange.unsentCount == 0: end(exchange, .timedOut, connection, session)
      case .streaming, .sending: session.cancel(exchange.stream)
      }
    }
  }
}
