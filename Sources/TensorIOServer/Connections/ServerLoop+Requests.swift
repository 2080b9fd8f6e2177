extension ServerLoop {
  /// Takes a connection as far as it goes with what has come and what can be sent.
  func proceed(_ connection: Connection) {
    var mayGoOn: Bool
    repeat {
      while connection.isReading, !connection.isFull, takeStep(connection) {}
      mayGoOn = connection.isFull
      guard flush(connection) else { return close(connection) }
    } while mayGoOn && connection.outbox.isEmpty
    settle(connection)
  }

  /// Takes the next thing out of what has come; says whether there was one.
  private func takeStep(_ connection: Connection) -> Bool {
    do throws(Refusal) {
      switch try connection.parser.next() {
      case .head(let head): try begin(head, connection)
      case .body(let body): answer(body, connection)
      case nil: return false
      }
    } catch { refuse(error, connection) }
    return true
  }

  /// Judges a request by its head, and lets its body come.
  private func begin(_ head: RequestHead, _ connection: Connection) throws(Refusal) {
    connection.exchange.take(head, id: ids.name(for: head.headers))
    let route = try admission.route(of: head)
    connection.exchange.route = route
    let limit = admission.bodyLimit(route, head)
    try connection.parser.accept(bodyWithin: limit)
    try takeRoom(head.framing.mostBytes(within: limit), connection)
    if head.awaitsGo, !connection.parser.hasMore {
      connection.outbox.append(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
    }
  }

  /// Keeps room for a body, so that many large ones at once do not take all memory.
  private func takeRoom(_ bytes: Int, _ connection: Connection) throws(Refusal) {
    guard bytes <= room else {
      connection.parser.end()
      throw .noRoom()
    }
    (room, connection.room) = (room - bytes, bytes)
  }

  func giveRoomBack(_ connection: Connection) {
    (room, connection.room) = (room + connection.room, 0)
  }

  /// Answers a request that is whole, or leaves it to a worker.
  private func answer(_ body: [UInt8], _ connection: Connection) {
    guard let head = connection.exchange.head, let route = connection.exchange.route else { return }
    connection.exchange.bodyBytes = body.count
    let request = HTTPRequest(
      id: connection.exchange.frame.id, head.line.method, head.line.target, headers: head.headers,
      body: body)
    guard route.lane == .queued else { return respond(route.answer(request), connection) }
    let work = Work(connection: connection.id, request: request, route: route, arrival: .now)
    if queue.submit(work) {
      enter(.work, connection)
    } else {
      respond(.overload, connection)
    }
  }

  /// Answers a request that cannot be answered otherwise.
  func refuse(_ refusal: Refusal, _ connection: Connection) {
    if connection.exchange.frame.id.isEmpty {
      connection.exchange.take(connection.parser.line, id: ids.name(for: nil))
    }
    connection.isClosing = refusal.endsConnection
    if !refusal.endsConnection { connection.parser.skipBody() }
    respond(refusal.response, connection)
  }

  /// Puts an answer into the outbox, and gets ready for the next request.
  func respond(_ response: HTTPResponse, _ connection: Connection) {
    giveRoomBack(connection)
    var exchange = connection.exchange
    connection.isClosing = connection.isClosing || exchange.closes || end != nil
    exchange.frame.closes = connection.isClosing
    exchange.status = response.status.code
    let body = response.sentBody(exchange.frame)
    exchange.answerBytes = body.count
    connection.outbox.append(response.head(exchange.frame), body)
    connection.answered.append(exchange)
    connection.exchange = Exchange(began: .now)
    (connection.phase, connection.deadline) = (.idle, .now + patience(.idle))
    if connection.isClosing { connection.parser.end() }
  }

  /// Answers what a worker has done; nobody may be there for it any more.
  func finish(_ work: CompletedWork) {
    guard let connection = connections[work.connection], connection.phase == .work else { return }
    connection.exchange.wait = work.wait
    respond(work.response, connection)
    proceed(connection)
  }
}

extension HTTPResponse {
  /// The answer when too many wait already.
  static let overload = unavailable("overloaded", "too many requests are waiting")
}

extension Exchange {
  fileprivate var closes: Bool { head?.closes ?? true }

  fileprivate mutating func take(_ head: RequestHead, id: String) {
    take(head.line, id: id)
    self.head = head
    frame.isOldClient = head.line.version == .oneZero
  }

  fileprivate mutating func take(_ line: RequestLine?, id: String) {
    frame.id = id
    (method, path) = (line?.method.rawValue ?? "", line?.path ?? "")
    frame.leavesBodyOut = line?.method == .head
  }
}
