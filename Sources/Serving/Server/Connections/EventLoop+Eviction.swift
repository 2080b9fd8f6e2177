/// How dispensable a connection is when there are too many: those of the first case are closed first.
private enum ConnectionUse: Int, CaseIterable {
  /// A client that has not sent a complete head yet, or has its last response.
  case withoutRequest
  /// A client between requests.
  case idle
  /// A client that sends the rest of a request.
  case sending
  /// A client that receives a response.
  case receiving
  /// A client with a call that may be open for any time.
  case open

  /// The time for which a client is waited for at least.
  var minWaitingTime: Duration {
    switch self {
    case .withoutRequest, .idle: .milliseconds(100)
    case .sending, .receiving, .open: .milliseconds(500)
    }
  }
}

// MARK: Room for new connections

extension EventLoop {
  /// The time without room after which new connections are for health checks only.
  private static let crowdedTime = Duration.milliseconds(500)
  /// The time between two attempts to accept connections when there is no room.
  static let acceptInterval = Duration.milliseconds(50)
  /// The fraction of the connections that are closed at once, so that finding them does not cost
  /// much for each new one.
  private static let maxClosedFraction = 64
  /// The fraction of the connections that may be new before others are closed for more of them.
  private static let newFraction = 4
  /// The maximum number of connections for health checks only.
  private static let maxReservedConnections = 32
  /// The fraction of the connections that are for health checks only.
  private static let reservedFraction = 8

  /// Returns how many connections, of some number, are not for health checks only.
  static func ordinaryConnections(of count: Int) -> Int {
    max(1, count - min(maxReservedConnections, max(1, count / reservedFraction)))
  }

  /// Whether connections for health checks are used because there are no others.
  var isCrowded: Bool { group.connectionCount > maxOrdinaryConnections }

  /// Makes room for a pending connection; returns whether it can be accepted.
  func makeRoom(_ now: ContinuousClock.Instant = .now) -> Bool {
    if group.connectionCount >= maxOrdinaryConnections { requestRoom(now) }
    guard group.connectionCount >= maxOrdinaryConnections else {
      crowdedSince = nil
      return true
    }
    let since = crowdedSince ?? now
    crowdedSince = since
    return now - since >= Self.crowdedTime && group.connectionCount < maxConnections
  }

  /// Closes dispensable connections of this loop, and makes the others do so.
  func requestRoom(_ now: ContinuousClock.Instant = .now) {
    closeWaitingConnections(now)
    group.requestRoom(except: index)
  }

  /// Closes the most dispensable connections, if they have waited for their clients long enough.
  ///
  /// A connection whose request is being processed is never closed.
  func closeWaitingConnections(_ now: ContinuousClock.Instant = .now) {
    var counts: [String: Int] = [:]
    var uses = ConnectionUse.allCases.map { _ in [WaitingConnection]() }
    for connection in connections.values {
      counts[connection.client, default: 0] += 1
      guard let (use, since) = Self.use(of: connection) else { continue }
      uses[use.rawValue].append((connection, since))
    }
    var waiting: [WaitingConnection] = []
    for use in ConnectionUse.allCases where waiting.isEmpty {
      waiting = uses[use.rawValue].filter { now - $0.since >= use.minWaitingTime }
      // Many clients that have just connected have to send something first.
      if use == .withoutRequest,
        uses[use.rawValue].count > maxOrdinaryConnections / Self.newFraction / group.count
      {
        break
      }
    }
    // Addresses with many connections lose theirs first, and of those the longest waiting.
    waiting.sort { left, right in
      let (leftCount, rightCount) = (
        counts[left.connection.client], counts[right.connection.client]
      )
      return (rightCount ?? 0, left.since) < (leftCount ?? 0, right.since)
    }
    let count = max(1, maxConnections / Self.maxClosedFraction / group.count)
    for (connection, _) in waiting.prefix(count) {
      evict(connection)
    }
  }

  private typealias WaitingConnection = (
    connection: HTTPConnection, since: ContinuousClock.Instant
  )

  private func evict(_ connection: HTTPConnection) {
    if connection.phase == .readingBody {
      connection.exchange.status = HTTPStatus.serviceUnavailable.code
      connection.unreportedExchanges.append(connection.exchange)
    }
    if !connection.writeBuffer.isEmpty {
      connection.socket.setLingerZero()
    } else if let session = connection.http2 {
      // Tells the client which calls it can repeat.
      session.rejectNewStreams()
      connection.writeBuffer.append(session.bytesToSend() ?? [])
      _ = connection.writeBuffer.flush(to: connection.socket)
    }
    status.recordEviction()
    close(connection)
  }

  /// Returns what a connection waits for its client for, and since when; `nil` if it does not.
  private static func use(
    of connection: HTTPConnection
  ) -> (ConnectionUse, since: ContinuousClock.Instant)? {
    guard connection.http2 == nil else { return useOfSession(connection) }
    let use: ConnectionUse? =
      switch connection.phase {
      case .idle, .readingHead: connection.hasCompletedRequest ? .idle : .withoutRequest
      case .lingering: .withoutRequest
      case .readingBody: .sending
      case .writing: .receiving
      case .streaming: connection.writeBuffer.isEmpty ? nil : .receiving
      case .processing: nil
      }
    return use.map { ($0, connection.phaseStart) }
  }

  /// Returns the least dispensable use of the calls of a connection.
  private static func useOfSession(
    _ connection: HTTPConnection
  ) -> (ConnectionUse, since: ContinuousClock.Instant)? {
    guard !connection.hasNoStreams else {
      return (connection.hasCompletedRequest ? .idle : .withoutRequest, connection.phaseStart)
    }
    var (use, since) = (ConnectionUse.sending, connection.phaseStart)
    for call in connection.calls.values {
      let next: ConnectionUse
      switch call.phase {
      case .processing: return nil
      case .watching: next = .open
      case .receiving: next = call.isExchange && call.parser.isBetweenMessages ? .open : .sending
      case .sending: next = .receiving
      }
      if next.rawValue > use.rawValue { use = next }
      since = max(since, call.phaseStart)
    }
    for exchange in connection.exchanges.values {
      guard exchange.waitsForClient else { return nil }
      if exchange.phase != .receiving, use == .sending { use = .receiving }
      since = max(since, exchange.phaseStart)
    }
    return (use, since)
  }
}
