import Synchronization

/// A connection of which nothing has been read.
struct AcceptedConnection: Sendable {
  let socket: Socket
  /// Whether it comes from the port for HTTP/2 only.
  let requiresHTTP2: Bool
  /// Whether the server had begun to stop.
  let isLate: Bool
  /// Whether it is one of those for health checks only.
  let isReserved: Bool
}

/// Passes responses, the bytes of streams, and new connections from other threads to an event loop.
final class CompletionQueue: Sendable {
  /// What another thread has made.
  enum Item: Sendable {
    case response(CompletedResponse)
    /// A body has bytes to send, or has ended.
    case body(BodyWriter)
    /// A connection that another loop has accepted.
    case connection(AcceptedConnection)
    /// All connections of the server are used.
    case makeRoom
  }

  private let items = Mutex<[Item]>([])
  private let signal: WakeSignal

  init() throws(ListenError) { signal = try WakeSignal() }

  /// The descriptor that becomes readable when an item is available.
  var descriptor: Int32 { signal.descriptor }

  var isEmpty: Bool { items.withLock(\.isEmpty) }

  func enqueue(_ item: Item) {
    let isFirst = items.withLock { items in
      items.append(item)
      return items.count == 1
    }
    if isFirst { wake() }
  }

  func wake() { signal.wake() }

  func drain() -> [Item] {
    signal.reset()
    return items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
