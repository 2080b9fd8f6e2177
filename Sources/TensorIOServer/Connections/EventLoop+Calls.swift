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

    guard exchange.method == HTTPMethod.post.rawValue, Self.isGRPC(headers) else {
      let status = exchange.method == HTTPMethod.post.rawValue ? 415 : 405
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
    let call = GRPCCall(stream, method, headers, exchange)
    connection.calls[stream.id] = call
    call.phaseDeadline = call.isExchange ? nil : .now + timeouts.body
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
    let isQueued = call.method.route.execution == .queued
    if connection.isLate, isQueued { return .shuttingDown }
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

  private static func statusFields(_ response: HTTPResponse) -> [HTTP2Stream.Field] {
    let status = GRPCStatus(response)
    var fields: [HTTP2Stream.Field] = [("grpc-status", "\(status.rawValue)")]
    if let error = response.error { fields.append(("grpc-message", error.message.grpcMessage)) }
    if status == .unimplemented {
      fields.append(("grpc-accept-encoding", GRPCService.acceptedEncodings))
    }
    return fields
  }
}

// MARK: Messages

extension EventLoop {
  /// Splits received bytes into messages, and handles those that are complete.
  func receiveData(
    of call: GRPCCall, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    let bytes = call.stream.incoming
    call.stream.incoming = []
    guard call.phase == .receiving || call.isExchange && call.phase == .processing else {
      if !bytes.isEmpty { session.consume(call.stream.id, bytes.count) }
      if call.phase != .sending, !bytes.isEmpty { finish(call, session, Self.extraMessage) }
      return
    }
    do throws(ClientError) {
      try parse(bytes, call)
    } catch {
      return finish(call, session, error.response)
    }
    call.withheldBytes += bytes.count
    // A client that sends messages faster than they are handled has to wait.
    if !call.isExchange || call.messages.count < Self.maxWaitingMessages {
      session.consume(call.stream.id, call.withheldBytes)
      call.withheldBytes = 0
    }
    if call.isExchange {
      handleNextMessage(of: call, connection, session)
      guard call.phase == .receiving else { return }
      call.phaseDeadline =
        call.parser.isBetweenMessages ? nil : call.phaseDeadline ?? .now + timeouts.body
    } else if call.stream.isEnded {
      handleOnlyMessage(of: call, connection, session)
    }
  }

  /// The number of messages of one call that wait until the client has to.
  private static let maxWaitingMessages = 8
  /// The number of bytes of responses of one call that wait until no message of it is handled.
  private static let maxOutgoingBytes = 4 << 20
  /// The maximum number of calls that watch a result, each of which is checked periodically.
  private static let maxWatches = 1000

  private static var extraMessage: HTTPResponse {
    ClientError(.badRequest, "malformed-message", "the call has more than one message").response
  }

  private func parse(_ bytes: [UInt8], _ call: GRPCCall) throws(ClientError) {
    var rest = bytes[...]
    while let element = try call.parser.next(from: &rest) {
      switch element {
      case .began(let count):
        guard count <= maxBodyBudget else {
          throw ClientError(
            .contentTooLarge, "body-too-large",
            "the message has \(count) bytes; the maximum is \(maxBodyBudget)")
        }
        guard count <= bodyBudget else {
          throw ClientError(
            .serviceUnavailable, "overloaded", "the server is receiving too much data")
        }
        (bodyBudget, call.reservedBytes) = (bodyBudget - count, call.reservedBytes + count)
        call.parser.reserve()
      case .message(let message): call.messages.append(message)
      }
    }
  }

  private func handleOnlyMessage(
    of call: GRPCCall, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    guard call.parser.isBetweenMessages, call.messages.count == 1 else {
      let problem =
        call.parser.isBetweenMessages
        ? "the call has \(call.messages.count) messages; expected one" : "the message is truncated"
      return finish(
        call, session, ClientError(.badRequest, "malformed-message", problem).response)
    }
    dispatch(call.messages.removeFirst(), call, connection, session)
  }

  /// Handles the next message of a call that may have any number of them.
  func handleNextMessage(
    of call: GRPCCall, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    while call.phase == .receiving, !call.messages.isEmpty {
      // A client has to receive responses before further messages are handled.
      guard call.stream.outgoingCount < Self.maxOutgoingBytes else {
        connection.hasBlockedExchange = true
        return
      }
      let message = call.messages.removeFirst()
      dispatch(message, call, connection, session)
    }
    if call.withheldBytes > 0, call.messages.count < Self.maxWaitingMessages {
      session.consume(call.stream.id, call.withheldBytes)
      call.withheldBytes = 0
    }
    guard call.phase == .receiving, call.stream.isEnded else { return }
    let isComplete = call.parser.isBetweenMessages
    finish(
      call, session,
      isComplete
        ? nil : ClientError(.badRequest, "malformed-message", "the message is truncated").response)
  }

  /// Runs the handler of a message, or adds it to the queue.
  private func dispatch(
    _ message: GRPCMessage, _ call: GRPCCall, _ connection: HTTPConnection,
    _ session: HTTP2Session
  ) {
    let route = call.method.route
    call.exchange.requestBytes += message.bytes.count
    var request = HTTPRequest(
      id: call.exchange.framing.requestID, .post, call.method.target, headers: call.headers,
      body: message.bytes)
    if message.isCompressed {
      guard let coding = call.coding else {
        let error = ClientError(
          .badRequest, "invalid-encoding", "a message is compressed, but grpc-encoding is missing")
        return finish(call, session, error.response)
      }
      request.bodyCoding = coding
    }
    call.current = request
    guard route.execution == .queued else {
      return respond(route.respond(to: request), call, session)
    }
    if let response = route.rejection(of: request) { return respond(response, call, session) }
    let limit = ContinuousClock.now + timeouts.request
    request.context = RequestContext(
      deadline: call.deadline.map { min($0, limit) } ?? limit, trace: call.exchange.trace)
    let work = QueuedRequest(
      connectionID: connection.id, request: request, route: route, enqueuedAt: .now)
    guard queue.enqueue(work) else {
      route.overload?(request)
      return respond(.overloaded, call, session)
    }
    call.context = request.context
    connection.streamIDs[ObjectIdentifier(request.context)] = call.stream.id
    (call.phase, call.phaseDeadline) = (.processing, .now + timeouts.queue)
  }
}

// MARK: Responses

extension EventLoop {
  /// Sends the response from a worker thread, unless the call has ended.
  func complete(
    _ work: CompletedResponse, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    guard let id = connection.streamIDs.removeValue(forKey: ObjectIdentifier(work.context)),
      let call = connection.calls[id], call.context === work.context
    else { return }
    call.exchange.queueDuration = work.queueDuration
    call.exchange.trace = work.context.trace ?? call.exchange.trace
    call.context = nil
    respond(work.response, call, session)
    if call.isExchange { handleNextMessage(of: call, connection, session) }
    send(connection, session)
  }

  /// Sends the response to a message.
  private func respond(_ response: HTTPResponse, _ call: GRPCCall, _ session: HTTP2Session) {
    switch call.method.kind {
    case .unary: finish(call, session, response)
    case .watch:
      guard response.error == nil else { return finish(call, session, response) }
      guard watchCount < Self.maxWatches else { return finish(call, session, .overloaded) }
      watchCount += 1
      (call.phase, call.phaseDeadline) = (.watching, nil)
      sendUpdate(response.body, call, session)
    case .exchange(let errorMessage):
      releaseBody(call.current?.body.count ?? 0, of: call)
      (call.phase, call.phaseDeadline) = (.receiving, nil)
      let body =
        response.error.map { errorMessage($0.message, call.current?.body ?? []) } ?? response.body
      if response.error != nil { call.exchange.grpcStatus = GRPCStatus(response).rawValue }
      call.current = nil
      sendMessage(body, call, session)
    }
  }

  /// Ends a call with its only response, an error, or success after all responses.
  func finish(_ call: GRPCCall, _ session: HTTP2Session, _ response: HTTPResponse?) {
    guard call.phase != .sending else { return }
    if call.phase == .watching { watchCount -= 1 }
    // A response may be as large as its request, whose bytes stay reserved until it is sent.
    if response?.error != nil { releaseBody(call.reservedBytes, of: call) }
    (call.phase, call.phaseDeadline) = (.sending, .now + timeouts.write)
    (call.messages, call.current) = ([], nil)
    call.exchange.status = response?.status.code ?? HTTPStatus.ok.code
    if let context = call.context { call.exchange.trace = context.trace ?? call.exchange.trace }
    call.context = nil
    let status = response.map { GRPCStatus($0) } ?? .ok
    if status != .ok || call.exchange.grpcStatus == nil {
      call.exchange.grpcStatus = status.rawValue
    }
    let fields = response.map(Self.statusFields) ?? [("grpc-status", "0")]
    if status == .ok, let response { sendMessage(response.body, call, session) }
    if call.hasBegunResponse {
      call.stream.finish(fields)
      session.resume(call.stream)
    } else if status == .ok {
      beginResponse(call, session)
      call.stream.finish(fields)
    } else {
      session.respond(
        call.stream, Self.responseFields(call) + fields, hasBody: false)
    }
    if !call.stream.isEnded, !call.hasBegunResponse { session.stopReceiving(call.stream) }
    session.recordCompletion()
  }

  private static func responseFields(_ call: GRPCCall) -> [HTTP2Stream.Field] {
    [
      (":status", "200"), ("content-type", GRPCService.mediaType),
      ("x-request-id", call.exchange.framing.requestID),
    ]
  }

  private func beginResponse(_ call: GRPCCall, _ session: HTTP2Session) {
    guard !call.hasBegunResponse else { return }
    call.hasBegunResponse = true
    session.respond(call.stream, Self.responseFields(call), hasBody: true)
  }

  private func sendMessage(_ body: [UInt8], _ call: GRPCCall, _ session: HTTP2Session) {
    call.exchange.responseBytes += body.count
    call.stream.send(GRPCMessage.prefix(length: body.count))
    call.stream.send(body)
    if call.hasBegunResponse { session.resume(call.stream) } else { beginResponse(call, session) }
  }

  /// Sends the result of a method that watches, if it has changed.
  func updateWatch(_ call: GRPCCall, _ session: HTTP2Session) {
    guard let request = call.current else { return }
    let response = call.method.route.respond(to: request)
    guard response.error == nil else { return finish(call, session, response) }
    sendUpdate(response.body, call, session)
  }

  private func sendUpdate(_ body: [UInt8], _ call: GRPCCall, _ session: HTTP2Session) {
    guard body != call.lastResponse else { return }
    call.lastResponse = body
    sendMessage(body, call, session)
  }

  private func releaseBody(_ count: Int, of call: GRPCCall) {
    bodyBudget += count
    call.reservedBytes -= count
  }
}

// MARK: The end of a call

extension EventLoop {
  /// Handles the end of a stream, by either side.
  func endCall(
    _ call: GRPCCall, _ connection: HTTPConnection, status: Int = statusClientClosedRequest
  ) {
    connection.calls[call.stream.id] = nil
    if call.phase != .sending {
      call.exchange.status = status
      call.exchange.grpcStatus = GRPCStatus.cancelled.rawValue
    }
    cancelHandler(of: call)
    if let context = call.context { connection.streamIDs[ObjectIdentifier(context)] = nil }
    if call.phase == .watching { watchCount -= 1 }
    releaseBody(call.reservedBytes, of: call)
    observer.requestCompleted(call.exchange.summary(.now, client: connection.client))
  }

  /// Makes the handler of a call stop before its next step, and not begin if it waits.
  func cancelHandler(of call: GRPCCall) {
    guard let context = call.context else { return }
    context.cancel()
    queue.discard(context)
  }

  /// Ends all calls of a connection that is closed.
  func cancelCalls(_ connection: HTTPConnection, status: Int) {
    for call in connection.calls.values { endCall(call, connection, status: status) }
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
    case .receiving, .watching:
      let late = HTTPRejection.requestTimeout().response
      finish(call, session, isDeadline ? .deadlineExceeded : late)
    case .processing where isDeadline:
      cancelHandler(of: call)
      finish(call, session, .deadlineExceeded)
    case .processing:
      guard let context = call.context else { return }
      if queue.cancel(context) {
        abandon(call, connection, session, .overloaded)
      } else if let deadline = context.deadline, deadline > .now {
        call.phaseDeadline = deadline
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
  /// The response to a call whose deadline has passed.
  static let deadlineExceeded = unavailable(GRPCStatus.timeoutCode, "the deadline has passed")
}
