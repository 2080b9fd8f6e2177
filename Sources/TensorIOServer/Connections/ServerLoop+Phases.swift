extension ServerLoop {
  /// Writes what can be written; says whether anybody is there to read it.
  func flush(_ connection: Connection) -> Bool {
    guard connection.outbox.flush(to: connection.socket) else { return false }
    if connection.outbox.isEmpty { report(connection) }
    return true
  }

  /// Finds out what a connection waits for now.
  func settle(_ connection: Connection) {
    if !connection.outbox.isEmpty {
      enter(.answer, connection)
    } else if connection.isClosing {
      guard !connection.hasEnded else { return close(connection) }
      if connection.phase != .linger { connection.socket.endWriting() }
      enter(.linger, connection)
    } else if connection.phase != .work {
      enter(connection.parser.phase, connection)
    }
    watch(connection)
  }

  /// Begins a phase; its patience begins with it and not with every byte.
  func enter(_ phase: Connection.Phase, _ connection: Connection) {
    guard connection.phase != phase else { return }
    connection.phase = phase
    connection.deadline = .now + patience(phase)
  }

  func patience(_ phase: Connection.Phase) -> Duration {
    switch phase {
    case .idle: end == nil ? deadlines.idle : deadlines.farewell
    case .head: deadlines.head
    case .body: deadlines.body
    case .work: deadlines.wait
    case .answer: deadlines.answer
    case .linger: end == nil ? deadlines.linger : min(deadlines.linger, deadlines.farewell)
    }
  }

  /// Gives up a connection whose patience is over.
  func lose(_ connection: Connection) {
    switch connection.phase {
    case .head, .body:
      refuse(.timedOut(), connection)
      proceed(connection)
    case .work:
      connection.deadline = nil
      guard queue.withdraw(connection.id) else { return }
      respond(.overload, connection)
      proceed(connection)
    case .idle, .answer, .linger: close(connection)
    }
  }

  /// Notes that the client of a request has gone; nobody works for it who has not begun.
  func leave(_ connection: Connection, _ isBroken: Bool) {
    if queue.withdraw(connection.id) {
      connection.exchange.status = Self.clientHasLeft
      connection.answered.append(connection.exchange)
      close(connection)
    } else if isBroken {
      // A socket that is broken says so again and again.
      poller.remove(connection.socket.number, connection.id)
      connection.interest = []
    } else {
      watch(connection)
    }
  }

  /// Ends a connection without another word.
  func close(_ connection: Connection) {
    report(connection)
    poller.remove(connection.socket.number, connection.id)
    connections[connection.id] = nil
    noteCount()
    resumeAccepting()
  }

  private func watch(_ connection: Connection) {
    let wanted: Interest =
      switch connection.phase {
      case .idle, .head, .body, .linger: .read
      case .work: connection.hasEnded ? [] : .end
      case .answer: .write
      }
    guard wanted != connection.interest else { return }
    connection.interest = wanted
    poller.change(connection.socket.number, connection.id, wanted)
  }

  private func report(_ connection: Connection) {
    guard !connection.answered.isEmpty else { return }
    let now = ContinuousClock.now
    for exchange in connection.answered { observer.answered(exchange.summary(now)) }
    connection.answered = []
  }

  /// What is noted of a request whose client did not wait for the answer.
  private static let clientHasLeft = 499
}

extension RequestParser {
  fileprivate var phase: Connection.Phase {
    if isBetweenRequests { return .idle }
    return isWithinBody ? .body : .head
  }
}
