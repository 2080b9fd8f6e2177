extension ServerLoop {
  /// Begins to stop when somebody has said so.
  func noticeState() {
    guard status.state != .ready, end == nil else { return }
    acceptLast()
    end = .now + deadlines.stop
    if let listener { poller.remove(listener.number, Self.listenerID) }
    listener = nil
    for connection in connections.values where connection.phase == .idle {
      connection.deadline = .now + patience(.idle)
    }
  }
}
