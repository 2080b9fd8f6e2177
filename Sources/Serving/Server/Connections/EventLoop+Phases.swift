// The phases of connections, their limits on time, and what ends them.
extension EventLoop {
  /// Writes as much as possible; returns false if the connection is closed.
  func flush(_ connection: HTTPConnection) -> Bool {
    guard connection.writeBuffer.flush(to: connection.socket) else { return false }
    if connection.writeBuffer.isEmpty {
      connection.unsentMemory = []
      reportCompleted(connection)
    }
    return true
  }

  /// Determines the phase of a connection, and updates the poller.
  func updatePhase(_ connection: HTTPConnection) {
    if connection.phase == .streaming {
      // The stream ends before the next phase begins.
    } else if !connection.writeBuffer.isEmpty {
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

  /// Enters a phase.
  ///
  /// Its deadline is not extended by partial progress.
  func enter(_ phase: HTTPConnection.Phase, _ connection: HTTPConnection) {
    guard connection.phase != phase else { return }
    (connection.phase, connection.phaseStart) = (phase, .now)
    connection.deadline = connection.phaseStart + timeout(for: phase)
    guard phase == .readingBody else { return }
    let progress = ReceivingProgress(
      timeouts, receivedBytes: connection.parser.receivedBodyBytes)
    (connection.progress, connection.deadline) = (progress, progress.nextCheck)
  }

  func timeout(for phase: HTTPConnection.Phase) -> Duration {
    switch phase {
    case .idle: shutdownDeadline == nil ? timeouts.idle : timeouts.drainGrace
    case .readingHead: timeouts.head
    case .readingBody: timeouts.body
    // The limit of a request includes the time in the queue.
    case .processing: min(timeouts.queue, timeouts.request)
    case .streaming: timeouts.request
    case .writing: timeouts.write
    case .lingering:
      shutdownDeadline == nil ? timeouts.linger : min(timeouts.linger, timeouts.drainGrace)
    }
  }

  /// Handles the expiration of the current phase's deadline.
  func handleTimeout(_ connection: HTTPConnection) {
    switch connection.phase {
    case .readingBody
    where connection.progress?.mayContinue(receivedBytes: connection.parser.receivedBodyBytes)
      == true:
      connection.deadline = connection.progress?.nextCheck
    case .readingHead, .readingBody:
      reject(.requestTimeout(), connection)
      process(connection)
    case .processing: handleProcessingTimeout(connection)
    case .streaming where connection.writeBuffer.isEmpty: endStream(connection, .timedOut)
    case .writing, .streaming:
      connection.socket.setLingerZero()
      close(connection)
    case .idle, .lingering: close(connection)
    }
  }

  /// Rejects a request that is still queued, or that exceeded the limit on its total time.
  private func handleProcessingTimeout(_ connection: HTTPConnection) {
    if let context = connection.context, queue.cancel(context) {
      respond(connection.exchange.formed(context.isLate ? .timedOut : .overloaded), connection)
    } else if let context = connection.context, !context.isLate {
      connection.deadline = context.deadline
      return
    } else {
      answerUnfinished(connection, .timedOut)
    }
    process(connection)
  }

  /// Answers a request without its handler, and closes the connection afterwards.
  func answerUnfinished(_ connection: HTTPConnection, _ response: HTTPResponse) {
    cancelHandler(connection)
    connection.isClosing = true
    respond(connection.exchange.formed(response), connection)
  }

  /// Makes the handler of a connection's request stop before its next step.
  private func cancelHandler(_ connection: HTTPConnection) {
    guard let context = connection.context else { return }
    // The handler keeps the memory until it ends, which may be long after the response.
    (connection.context, connection.memory) = (nil, nil)
    context.cancel()
    queue.discard(context)
  }

  /// Handles a disconnect during processing, or while a body is made.
  ///
  /// The client may have closed only its sending side, and is waiting for the response. If the
  /// request has not started, a probe finds out at once, so that the request need not run.
  func handleDisconnect(_ connection: HTTPConnection, isError: Bool) {
    guard !isError else { return close(connection) }
    connection.nextProbe = .now + timeouts.probeInterval
    updateInterest(connection)
    if let context = connection.context, connection.stream != nil || queue.isWaiting(context) {
      probe(connection)
    }
  }

  /// Sends an interim response to a client that closed its sending side, or the heartbeat of a
  /// stream.
  ///
  /// If the client has closed the connection, the socket reports an error.
  func probe(_ connection: HTTPConnection) {
    connection.nextProbe =
      .now + (connection.isPeerClosed ? timeouts.probeInterval : timeouts.heartbeat)
    guard connection.writeBuffer.isEmpty else { return }
    if let stream = connection.stream, stream.hasHead || !stream.source.heartbeat.isEmpty {
      appendToStream(stream.source.heartbeat, connection)
    } else if !connection.exchange.framing.isHTTP10 {
      // HTTP/1.0 has no interim responses.
      connection.writeBuffer.append(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8))
    }
    guard connection.writeBuffer.flush(to: connection.socket) else { return close(connection) }
    updateInterest(connection)
  }

  /// Closes a connection.
  func close(_ connection: HTTPConnection) {
    if connection.context != nil {
      connection.exchange.status = Self.statusClientClosedRequest
      connection.unreportedExchanges.append(connection.exchange)
    }
    cancelHandler(connection)
    cancelCalls(connection, status: Self.statusClientClosedRequest)
    reportCompleted(connection)
    poller.remove(connection.socket.descriptor, id: connection.id)
    connections[connection.id] = nil
    group.release(index)
    resumeAccepting()
  }

  /// Stops watching for bytes until the current request is answered.
  ///
  /// Most clients send nothing before the response, so that the poller is changed only for others.
  func deferReading(_ connection: HTTPConnection) {
    connection.hasDeferredBytes = true
    updateInterest(connection)
  }

  private func updateInterest(_ connection: HTTPConnection) {
    let interest: PollInterest =
      switch connection.phase {
      case .idle, .readingHead, .readingBody, .lingering: [.read, .peerClosed]
      case .processing: waitingInterest(connection)
      case .streaming:
        waitingInterest(connection).union(connection.writeBuffer.isEmpty ? [] : .write)
      case .writing: .write
      }
    guard interest != connection.interest else { return }
    connection.interest = interest
    poller.modify(connection.socket.descriptor, id: connection.id, interest: interest)
  }

  /// Returns the events to watch for while a request is handled: errors always are.
  private func waitingInterest(_ connection: HTTPConnection) -> PollInterest {
    connection.isPeerClosed
      ? [] : connection.hasDeferredBytes ? .peerClosed : [.read, .peerClosed]
  }

  func reportCompleted(_ connection: HTTPConnection) {
    guard !connection.unreportedExchanges.isEmpty else { return }
    let now = ContinuousClock.now
    for exchange in connection.unreportedExchanges {
      observer.requestCompleted(exchange.summary(now, client: connection.client))
    }
    connection.unreportedExchanges = []
  }

  /// The status logged for a request whose client disconnected.
  static let statusClientClosedRequest = 499
}

extension RequestParser {
  fileprivate var phase: HTTPConnection.Phase {
    if isBetweenRequests { return .idle }
    return isReadingBody ? .readingBody : .readingHead
  }
}
