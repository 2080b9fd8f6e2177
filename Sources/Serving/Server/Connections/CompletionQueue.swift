import Synchronization

/// Passes completed responses from worker threads to the event loop.
final class CompletionQueue: Sendable {
  private let completed = Mutex<[CompletedResponse]>([])
  private let pipe: WakePipe

  init() throws(ListenError) { pipe = try WakePipe() }

  /// The descriptor that becomes readable when a response is available.
  var descriptor: Int32 { pipe.readEnd }

  func enqueue(_ work: CompletedResponse) {
    let isFirst = completed.withLock { responses in
      responses.append(work)
      return responses.count == 1
    }
    if isFirst { pipe.wake() }
  }

  func wake() { pipe.wake() }

  func drain() -> [CompletedResponse] {
    pipe.drain()
    return completed.withLock { responses in
      defer { responses = [] }
      return responses
    }
  }
}
