internal import Synchronization

/// What other threads have to say to the one that reads and writes.
final class Mailbox: Sendable {
  private let letters = Mutex<[CompletedWork]>([])
  private let pipe: WakePipe

  init() throws(ServerError) { pipe = try WakePipe() }

  /// What becomes readable when there is something.
  var number: Int32 { pipe.output }

  func post(_ work: CompletedWork) {
    let isFirst = letters.withLock { letters in
      letters.append(work)
      return letters.count == 1
    }
    if isFirst { pipe.wake() }
  }

  func wake() { pipe.wake() }

  func collect() -> [CompletedWork] {
    pipe.clear()
    return letters.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}
