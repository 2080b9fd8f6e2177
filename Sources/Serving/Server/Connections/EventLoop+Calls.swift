import TensorIOSystem

// MARK: The beginning of a call

extension EventLoop {
  /// Accepts or rejects a call, whose header fields are complete.
  func beginCall(
    _ stream: HTTP2Stream, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    var headers = HTTPHeaders()
    for (name, value) in stream.fields where !name.hasPrefix(":") { headers.add(name, value) }
    if let authority = stream[":authority"], headers["Host"] == nil {
      headers.add("Host", authority)
    }
    let path = stream[":path"] ?? ""
    var exchange = HTTPExchange(startTime: .now)
    exchange.framing.requestID = requestIDs.id(for: headers)
    (exchange.method, exchange.path) = (stream[":method"] ?? "", path)
    exchange.trace = trace(of: headers, since: exchange.startTime)

    let isPost = exchange.method == HTTPMethod.post.rawValue
    let isCall = isPost && Self.isGRPC(headers)
    guard isCall || connection.requiresHTTP2 || grpc.method(at: path) != nil else {
      return beginExchange(
        HTTP2Exchange(stream, exchange, MemoryReservation(memory)), headers, connection, session)
    }
    guard isCall else {
      let status = isPost ? 415 : 405
      return rejectStream(stream, connection, session, exchange, httpStatus: status)
    }
    guard let method = grpc.method(at: path) else {
      exchange.status = HTTPStatus.notImplemented.code
      return rejectStream(
        stream, connection, session, exchange,
        ClientError(
          .notImplemented, "unknown-method", "unknown method '\(path)'"
        ).response)
    }
    exchange.route = method.route
    let call = GRPCCall(stream, method, headers, exchange, MemoryReservation(memory))
    connection.calls[stream.id] = call
    if call.isExchange {
      call.phaseDeadline = .now + timeouts.openCall
    } else {
      beginReceiving(call)
    }
    if let error = rejection(of: call, connection) {
      finish(call, session, error)
    }
  }

  /// Whether the content type of a request is that of gRPC with protobuf.
  private static func isGRPC(_ headers: HTTPHeaders) -> Bool {
    guard let type = headers["content-type"]?.lowercased() else { return false }
    let rest = type.dropFirst(GRPCService.mediaType.utf8.count)
    return type.hasPrefix(GRPCService.mediaType)
      && (rest.isEmpty || rest.hasPrefix(";") || rest == "+proto" || rest.hasPrefix("+proto;"))
  }

  /// Returns the error of a call that is rejected before it sends a message.
  private func rejection(of call: GRPCCall, _ connection: HTTPConnection) -> HTTPResponse? {
    guard !call.stream.hasExcessFields else { return HTTPRejection.headersTooLarge().response }
    guard
      let head = RequestHead(
        .post, call.method.target, path: call.exchange.path, headers: call.headers)
    else { return HTTPRejection.malformed("the authority is invalid").response }
    do throws(HTTPRejection) {
      try policy.check(head, requiresToken: call.method.route.requiresToken)
    } catch {
      return error.response
    }
    if let response = unavailability(of: call.method.route, connection) { return response }
    if let timeout = call.headers["grpc-timeout"], call.deadline == nil {
      return ClientError(
        .badRequest, "invalid-timeout", "invalid grpc-timeout '\(timeout)'"
      ).response
    }
    return nil
  }

  /// Answers a stream that is not a call.
  private func rejectStream(
    _ stream: HTTP2Stream, _ connection: HTTPConnection, _ session: HTTP2Session,
    _ exchange: HTTPExchange, _ response: HTTPResponse? = nil, httpStatus: Int = 200
  ) {
    var exchange = exchange
    if response == nil { exchange.status = httpStatus }
    exchange.error = response?.error
    var fields: [HTTP2Stream.Field] = [
      (":status", "\(httpStatus)"), ("content-type", GRPCService.mediaType),
      ("x-request-id", exchange.framing.requestID),
    ]
    if let response { fields += Self.statusFields(response) }
    if let response { exchange.grpcStatus = GRPCStatus(response).rawValue }
    session.respond(stream, fields, hasBody: false)
    if !stream.isEnded { session.stopReceiving(stream) }
    observer.requestCompleted(exchange.summary(.now, client: connection.client))
  }
}

// MARK: The end of a call

extension EventLoop {
  /// Begins to wait for a message, which must arrive in time.
  func beginReceiving(_ call: GRPCCall) {
    let progress = ReceivingProgress(timeouts, receivedBytes: call.receivedBytes)
    (call.progress, call.phaseDeadline) = (progress, progress.nextCheck)
  }

  /// Handles the end of a stream, by either side.
  func endCall(
    _ call: GRPCCall, _ connection: HTTPConnection, status: Int = statusClientClosedRequest
  ) {
    connection.calls[call.stream.id] = nil
    (connection.hasCompletedRequest, connection.phaseStart) = (true, .now)
    if call.phase != .sending {
      call.exchange.status = status
      call.exchange.grpcStatus = GRPCStatus.cancelled.rawValue
    }
    cancelHandler(of: call)
    if let context = call.context { connection.streamIDs[ObjectIdentifier(context)] = nil }
    if call.phase == .watching { group.endWatch() }
    observer.requestCompleted(call.exchange.summary(.now, client: connection.client))
  }

  /// Makes the handler of a call stop before its next step, and not begin if it waits.
  func cancelHandler(of call: GRPCCall) {
    guard let context = call.context else { return }
    // The handler keeps the memory until it ends, which may be long after the response.
    if context.memory === call.memory { call.memory = MemoryReservation(memory) }
    context.cancel()
    queue.discard(context)
  }

  /// Ends all calls of a connection that is closed.
  func cancelCalls(_ connection: HTTPConnection, status: Int) {
    for call in connection.calls.values { endCall(call, connection, status: status) }
    for exchange in connection.exchanges.values {
      endExchange(exchange, connection, status: status)
    }
    connection.streamIDs = [:]
  }

  /// Ends the calls that wait for their client when the server stops.
  func endOpenCalls(_ connection: HTTPConnection, _ session: HTTP2Session) {
    for call in connection.calls.values {
      let isIdle = call.phase == .receiving && call.isExchange && call.parser.isBetweenMessages
      if isIdle || call.phase == .watching { finish(call, session, .shuttingDown) }
    }
  }

  /// Handles the expiration of a deadline, of the client or of the current phase.
  func expire(
    _ call: GRPCCall, _ connection: HTTPConnection, _ session: HTTP2Session, isDeadline: Bool
  ) {
    switch call.phase {
    case .sending: session.cancel(call.stream)
    case .watching where !isDeadline: finish(call, session, .openTooLong)
    case .receiving where !isDeadline && !call.isReceivingMessage && call.isExchange:
      finish(call, session, .openTooLong)
    case .receiving
    where !isDeadline && call.progress?.mayContinue(receivedBytes: call.receivedBytes) == true:
      call.phaseDeadline = call.progress?.nextCheck
    case .receiving, .watching:
      let late = HTTPRejection.requestTimeout().response
      finish(call, session, isDeadline ? .deadlineExceeded : late)
    case .processing where isDeadline:
      cancelHandler(of: call)
      finish(call, session, .deadlineExceeded)
    case .processing:
      guard let context = call.context else { return }
      if queue.cancel(context) {
        abandon(call, connection, session, context.isLate ? .timedOut : .overloaded)
      } else if !context.isLate {
        call.phaseDeadline = context.deadline
      } else {
        cancelHandler(of: call)
        abandon(call, connection, session, .timedOut)
      }
    }
  }

  /// Responds to a message whose handler is not awaited anymore.
  private func abandon(
    _ call: GRPCCall, _ connection: HTTPConnection, _ session: HTTP2Session,
    _ response: HTTPResponse
  ) {
    if let context = call.context { connection.streamIDs[ObjectIdentifier(context)] = nil }
    call.context = nil
    respond(response, call, session)
    if call.isExchange { handleNextMessage(of: call, connection, session) }
  }
}

extension HTTPResponse {
  /// The end of a call that its client has not used for long; clients begin another one.
  static let openTooLong = unavailable(
    "call-expired", "the call was open without a message too long")
  /// The response to a call whose deadline has passed.
  static let deadlineExceeded = unavailable(GRPCStatus.timeoutCode, "the deadline has passed")
}
