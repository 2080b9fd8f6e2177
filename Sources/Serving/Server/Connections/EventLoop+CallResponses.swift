extension EventLoop {
  /// The maximum number of calls that watch a result, each of which is checked periodically.

  /// Sends the response from a worker thread, unless the call has ended.
  func complete(
    _ work: CompletedResponse, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    guard let id = connection.streamIDs.removeValue(forKey: ObjectIdentifier(work.context)) else {
      return
    }
    if let exchange = connection.exchanges[id] {
      exchange.exchange.queueDuration = work.task.queueDuration
      withExtendedLifetime(work.task) { respond(work.response, exchange, connection, session) }
      return send(connection, session)
    }
    guard let call = connection.calls[id], call.context === work.context else {
      return
    }
    call.exchange.queueDuration = work.task.queueDuration
    call.exchange.trace = work.context.trace ?? call.exchange.trace
    call.exchange.modelName = work.context.modelName ?? call.exchange.modelName
    call.context = nil
    respond(work.response, call, session)
    if call.isExchange { handleNextMessage(of: call, connection, session) }
    send(connection, session)
  }

  /// Sends the response to a message.
  func respond(_ response: HTTPResponse, _ call: GRPCCall, _ session: HTTP2Session) {
    switch call.method.kind {
    case .unary: finish(call, session, response)
    case .watch:
      guard response.error == nil else { return finish(call, session, response) }
      guard group.beginWatch() else { return finish(call, session, .overloaded) }
      (call.phase, call.phaseDeadline) = (.watching, .now + timeouts.openCall)
      sendUpdate(response.body, call, session)
    case .exchange(let errorMessage):
      (call.phase, call.isReceivingMessage) = (.receiving, false)
      updateMessageDeadline(of: call)
      let body =
        response.error.map { errorMessage($0.message, call.current?.body ?? []) } ?? response.body
      if response.error != nil {
        call.exchange.grpcStatus = GRPCStatus(response).rawValue
        call.exchange.error = response.error
      }
      call.current = nil
      sendMessage(body, call, session)
    }
  }

  /// Ends a call with its only response, an error, or success after all responses.
  func finish(_ call: GRPCCall, _ session: HTTP2Session, _ response: HTTPResponse?) {
    guard call.phase != .sending else { return }
    if call.phase == .watching { group.endWatch() }
    (call.phase, call.phaseDeadline) = (.sending, .now + timeouts.write)
    (call.messages, call.current) = ([], nil)
    call.memory.resize(to: call.heldBytes)
    call.exchange.status = response?.status.code ?? HTTPStatus.ok.code
    call.exchange.error = response?.error ?? call.exchange.error
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

  /// The fields after a response: its status, and the message of an error.
  static func statusFields(_ response: HTTPResponse) -> [HTTP2Stream.Field] {
    let status = GRPCStatus(response)
    var fields: [HTTP2Stream.Field] = [("grpc-status", "\(status.rawValue)")]
    if let error = response.error { fields.append(("grpc-message", error.message.grpcMessage)) }
    if status == .unimplemented {
      fields.append(("grpc-accept-encoding", GRPCService.acceptedEncodings))
    }
    return fields
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
    call.memory.resize(to: call.heldBytes)
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
}
