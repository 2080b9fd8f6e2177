import Synchronization

/// Passes responses, and the bytes of streams, from other threads to the event loop.
final class CompletionQueue: Sendable {
  /// What another thread has made.
  enum Item: Sendable {
    case response(CompletedResponse)
    /// A body has bytes to send, or has ended.
    case body(BodyWriter)
  }

  private let items = Mutex<[Item]>([])
  private let signal: WakeSignal

  init() throws(ListenError) { signal = try WakeSignal() }

  /// The descriptor that becomes readable when an item is available.
  var descriptor: Int32 { signal.descriptor }

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
