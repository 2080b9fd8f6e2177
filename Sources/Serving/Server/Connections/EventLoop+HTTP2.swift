import TensorIOSystem

/// The bytes with which a client begins HTTP/2 without negotiation.
enum HTTP2Preface {
  static let bytes = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// Whether bytes are the beginning of the preface, or begin with it.
  static func matches(_ prefix: ArraySlice<UInt8>) -> Bool {
    prefix.prefix(bytes.count).elementsEqual(bytes.prefix(prefix.count))
  }
}

// MARK: The protocol of a connection

extension EventLoop {
  /// Decides the protocol of a connection from its first bytes, and processes them.
  func receiveFirst(_ bytes: ArraySlice<UInt8>, _ connection: HTTPConnection) {
    connection.prefaceBytes += bytes
    let received = connection.prefaceBytes[...]
    let isHTTP2 = HTTP2Preface.matches(received)
    if isHTTP2, received.count < HTTP2Preface.bytes.count {
      return enter(.readingHead, connection)
    }
    connection.prefaceBytes = []
    connection.isProtocolKnown = true
    if isHTTP2, let library = http2, let session = HTTP2Session(library) {
      connection.http2 = session
      (connection.phase, connection.phaseStart) = (.idle, .now)
      connection.deadline = connection.phaseStart + timeout(for: .idle)
      if shutdownDeadline != nil { session.announceShutdown() }
      receive(received, connection, session)
    } else if connection.requiresHTTP2 {
      close(connection)
    } else {
      connection.parser.append(received)
      process(connection)
    }
  }

  /// Handles an event of an HTTP/2 connection.
  func handle(_ event: PollEvent, _ connection: HTTPConnection, _ session: HTTP2Session) {
    if event.isReadable || event.isPeerClosed || event.isError {
      read(connection)
    } else if event.isWritable {
      send(connection, session)
    }
  }

  /// Processes received bytes.
  func receive(
    _ bytes: ArraySlice<UInt8>, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    guard let events = session.receive(bytes) else {
      connection.isBroken = true
      return send(connection, session)
    }
    for event in events { handle(event, connection, session) }
    updateHeadersDeadline(connection, session)
    send(connection, session)
  }

  /// Starts the time for the first frame or a list of header fields, which further bytes do not
  /// extend.
  private func updateHeadersDeadline(_ connection: HTTPConnection, _ session: HTTP2Session) {
    guard session.isReceivingHead else { return connection.headersDeadline = nil }
    guard connection.headersDeadline == nil || connection.headersNumber != session.headersCount
    else { return }
    connection.headersNumber = session.headersCount
    connection.headersDeadline = .now + timeouts.head
  }

  private func handle(
    _ event: HTTP2Session.Event, _ connection: HTTPConnection, _ session: HTTP2Session
  ) {
    switch event {
    case .headers(let id):
      if let stream = session.streams[id] { beginCall(stream, connection, session) }
    case .data(let id):
      if let call = connection.calls[id] {
        receiveData(of: call, connection, session)
      } else if let exchange = connection.exchanges[id] {
        receiveData(of: exchange, connection, session)
      }
    case .closed(let id, _):
      if let call = connection.calls[id] {
        endCall(call, connection)
      } else if let exchange = connection.exchanges[id] {
        endExchange(exchange, connection)
      }
    case .flood: session.terminateForFlood()
    }
  }
}

// MARK: Sending

extension EventLoop {
  /// Sends as much as possible, and determines what the connection waits for.
  func send(_ connection: HTTPConnection, _ session: HTTP2Session) {
    while true {
      if connection.writeBuffer.isEmpty, session.wantsWrite {
        guard let bytes = session.bytesToSend() else {
          connection.isBroken = true
          break
        }
        if !bytes.isEmpty { connection.writeBuffer.append(bytes) }
        for event in session.takeEvents() { handle(event, connection, session) }
        continueExchanges(connection, session)
        recordSentBytes(of: connection)
      }
      guard !connection.writeBuffer.isEmpty else { break }
      let count = connection.writeBuffer.count
      guard connection.writeBuffer.flush(to: connection.socket) else { return close(connection) }
      if connection.writeBuffer.count < count { connection.writeDeadline = nil }
      if !connection.writeBuffer.isEmpty { break }
    }
    updateState(connection, session)
  }

  /// Handles the next messages of calls whose responses have been sent.
  private func continueExchanges(_ connection: HTTPConnection, _ session: HTTP2Session) {
    guard connection.hasBlockedExchange else { return }
    connection.hasBlockedExchange = false
    for call in connection.calls.values where call.isExchange && call.phase == .receiving {
      handleNextMessage(of: call, connection, session)
    }
  }

  private func updateState(_ connection: HTTPConnection, _ session: HTTP2Session) {
    let isSending = !connection.writeBuffer.isEmpty
    if isSending {
      connection.writeDeadline = connection.writeDeadline ?? .now + timeouts.write
    } else {
      connection.writeDeadline = nil
      if connection.isBroken || !session.isActive { return endSession(connection) }
    }
    updateIdleDeadline(connection)
    let interest: PollInterest = isSending ? [.read, .write] : .read
    guard interest != connection.interest else { return }
    connection.interest = interest
    poller.modify(connection.socket.descriptor, id: connection.id, interest: interest)
  }

  /// Starts the time after which a connection without calls ends.
  private func updateIdleDeadline(_ connection: HTTPConnection) {
    if connection.hasNoStreams, connection.closeDeadline == nil {
      connection.deadline = connection.deadline ?? .now + timeout(for: .idle)
    } else {
      connection.deadline = nil
    }
  }

  /// Closes a connection whose session is over, once the client has received the last bytes.
  private func endSession(_ connection: HTTPConnection) {
    cancelCalls(connection, status: Self.statusClientClosedRequest)
    connection.http2 = nil
    connection.isClosing = true
    connection.phase = .idle
    updatePhase(connection)
  }
}

// MARK: Time

extension EventLoop {
  /// Checks the deadlines of a connection and its calls.
  func checkDeadlines(
    of connection: HTTPConnection, _ session: HTTP2Session, _ now: ContinuousClock.Instant
  ) {
    if let deadline = connection.writeDeadline, deadline <= now {
      connection.socket.setLingerZero()
      return close(connection)
    }
    if let deadline = connection.closeDeadline, deadline <= now, connection.hasNoStreams {
      connection.socket.setLingerZero()
      return close(connection)
    }
    if let deadline = connection.deadline, deadline <= now {
      connection.closeDeadline = now + timeout(for: .lingering)
      session.rejectNewStreams()
    }
    if let deadline = connection.headersDeadline, deadline <= now {
      connection.headersDeadline = nil
      connection.closeDeadline = now + timeout(for: .lingering)
      cancelCalls(connection, status: Self.statusClientClosedRequest)
      session.terminateForTimeout()
    }
    if let time = connection.rejectionTime, time <= now {
      connection.rejectionTime = nil
      session.rejectNewStreams()
      endOpenCalls(connection, session)
    }
    for call in connection.calls.values {
      let isLate = call.deadline.map { $0 <= now } ?? false
      if isLate || call.phaseDeadline.map({ $0 <= now }) == true {
        expire(call, connection, session, isDeadline: isLate)
      } else if call.phase == .watching {
        updateWatch(call, session)
      }
      if !receivesResponses(call, now) { session.cancel(call.stream) }
    }
    checkDeadlines(ofExchanges: connection, session, now)
    send(connection, session)
  }

  /// Whether the client of a call has received the responses that waited for it when they had to be.
  ///
  /// Calls that send their last response have a deadline for it.
  private func receivesResponses(_ call: GRPCCall, _ now: ContinuousClock.Instant) -> Bool {
    let (total, waiting) = (call.stream.totalOutgoingCount, call.stream.outgoingCount)
    guard call.phase != .sending, waiting > 0 else {
      call.responseCheckpoint = nil
      return true
    }
    if let checkpoint = call.responseCheckpoint, total - waiting < checkpoint.bytes {
      return now < checkpoint.deadline
    }
    call.responseCheckpoint = (total, now + timeouts.write)
    return true
  }

  /// Announces to a client that the server is stopping.
  func announceShutdown(_ connection: HTTPConnection, _ session: HTTP2Session) {
    session.announceShutdown()
    connection.rejectionTime = .now + timeouts.drainGrace
    for call in connection.calls.values where call.phase == .watching {
      updateWatch(call, session)
    }
    send(connection, session)
  }

  /// Answers the calls that are not done when the time for stopping is over.
  func answerUnfinished(_ connection: HTTPConnection, _ session: HTTP2Session) {
    for call in connection.calls.values where call.phase != .sending {
      cancelHandler(of: call)
      finish(call, session, HTTPResponse.shuttingDown)
    }
    for exchange in connection.exchanges.values {
      end(exchange, .shuttingDown, connection, session)
    }
    session.rejectNewStreams()
    send(connection, session)
  }
}
