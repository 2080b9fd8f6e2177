extension ServerLoop {
  /// Takes the connections that have come, but not so many that the others have to wait.
  func accept() {
    for _ in 0..<Self.acceptedAtOnce {
      guard connections.count < mostConnections else { return pauseAccepting() }
      switch listener?.accept() {
      case .socket(let socket): add(socket)
      case .exhausted: return pauseAccepting()
      case .nobody, nil: return
      }
    }
  }

  /// Takes all who have come before the server was stopped.
  func acceptLast() {
    while connections.count < mostConnections,
      case .socket(let socket)? = listener?.accept()
    { add(socket) }
  }

  /// Goes on after there was no room, as soon as there may be some.
  func resumeAccepting() {
    guard !isAccepting, let listener, connections.count < mostConnections else { return }
    isAccepting = true
    poller.change(listener.number, Self.listenerID, .read)
  }

  /// Lets those who come wait in the kernel, where they cost nothing.
  private func pauseAccepting() {
    guard let listener else { return }
    isAccepting = false
    poller.change(listener.number, Self.listenerID, [])
  }

  private func add(_ socket: Socket) {
    lastID += 1
    let connection = Connection(lastID, socket, .now)
    connection.interest = .read
    guard poller.add(socket.number, connection.id, .read) else { return }
    connections[connection.id] = connection
    connection.deadline = .now + patience(.idle)
    noteCount()
  }

  private static let acceptedAtOnce = 64

  func noteCount() {
    let count = connections.count
    status.note { $0.connections = count }
  }
}
