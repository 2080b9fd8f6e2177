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
      let held = call.memory.byteCount
      try call.memory.grow(by: max(0, call.heldBytes - held), for: .receiving)
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
      if call.phase == .receiving { updateMessageDeadline(of: call) }
    } else if call.stream.isEnded {
      handleOnlyMessage(of: call, connection, session)
    }
  }

  /// Starts the time for the rest of a message that has begun, or for the next one.
  func updateMessageDeadline(of call: GRPCCall) {
    let isReceiving = !call.parser.isBetweenMessages
    guard isReceiving else {
      (call.isReceivingMessage, call.phaseDeadline) = (false, .now + timeouts.openCall)
      return
    }
    if !call.isReceivingMessage { beginReceiving(call) }
    call.isReceivingMessage = true
  }

  /// The number of messages of one call that wait until the client has to.
  private static let maxWaitingMessages = 8
  /// The number of bytes of responses of one call that wait until no message of it is handled.
  private static let maxOutgoingBytes = 4 << 20

  private static var extraMessage: HTTPResponse {
    ClientError(.badRequest, "malformed-message", "the call has more than one message").response
  }

  private func parse(_ bytes: [UInt8], _ call: GRPCCall) throws(ClientError) {
    var rest = bytes[...]
    while let element = try call.parser.next(from: &rest) {
      switch element {
      case .began(let count):
        try call.memory.checkCapacity(count, for: .receiving)
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
    call.exchange.modelName = route.modelName(of: request)
    let response = submit(&request, to: route, connection) {
      let limit = ContinuousClock.now + timeouts.request
      return RequestContext(
        deadline: call.deadline.map { min($0, limit) } ?? limit, trace: call.exchange.trace,
        isAdministrator: policy.isAdministrator(call.headers),
        memory: call.isExchange ? call.memory.split(message.bytes.count) : call.memory)
    }
    if let response { return respond(response, call, session) }
    call.context = request.context
    connection.streamIDs[ObjectIdentifier(request.context)] = call.stream.id
    (call.phase, call.phaseDeadline) = (.processing, .now + timeout(for: .processing))
  }
}
