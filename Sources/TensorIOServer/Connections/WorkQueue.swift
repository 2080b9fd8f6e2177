internal import Dispatch
internal import Synchronization

/// A request on its way to a worker.
struct Work: Sendable {
  /// The connection that it came by.
  let connection: UInt64
  let request: HTTPRequest
  let route: Route
  let arrival: ContinuousClock.Instant
}

/// An answer on its way back.
struct CompletedWork: Sendable {
  let connection: UInt64
  let response: HTTPResponse
  let wait: Duration
}

/// Where requests wait for workers, in their order and not too many.
final class WorkQueue: Sendable {
  private struct Line {
    var waiting: [Work] = []
    var working = 0
    var isClosed = false
  }

  private let line = Mutex(Line())
  private let arrivals = DispatchSemaphore(value: 0)
  private let workers: Int
  private let limit: Int
  private let status: ServerStatus

  init(workers: Int, limit: Int, status: ServerStatus) {
    (self.workers, self.limit, self.status) = (workers, limit, status)
  }

  /// Leaves a request to the workers; says whether there was room for it.
  func submit(_ work: Work) -> Bool {
    let isTaken = line.withLock { line in
      guard line.waiting.count - (workers - line.working) < limit else { return false }
      line.waiting.append(work)
      note(line)
      return true
    }
    if isTaken { arrivals.signal() }
    return isTaken
  }

  /// Takes a request back; says whether no worker has it, and none is on the way to it.
  func withdraw(_ connection: UInt64) -> Bool {
    line.withLock { line in
      guard let index = line.waiting.firstIndex(where: { $0.connection == connection }),
        index >= workers - line.working
      else { return false }
      line.waiting.remove(at: index)
      note(line)
      return true
    }
  }

  /// Starts the workers; each hands over what it has done.
  func start(_ handOver: @escaping @Sendable (CompletedWork) -> Void) {
    for _ in 0..<workers {
      // A queue of its own is a thread of its own.
      DispatchQueue(label: "tensorio.worker").async { [self] in
        while wait() {
          if let work = take() { handOver(complete(work)) }
        }
      }
    }
  }

  /// Lets the workers go home.
  func close() {
    line.withLock { $0.isClosed = true }
    for _ in 0..<workers { arrivals.signal() }
  }

  private func wait() -> Bool {
    arrivals.wait()
    return !line.withLock { $0.isClosed }
  }

  /// The next request; `nil` when the one that was announced has been taken back.
  private func take() -> Work? {
    line.withLock { line in
      guard !line.waiting.isEmpty else { return nil }
      line.working += 1
      defer { note(line) }
      return line.waiting.removeFirst()
    }
  }

  private func complete(_ work: Work) -> CompletedWork {
    let wait = work.arrival.duration(to: .now)
    let response = work.route.answer(work.request)
    line.withLock { line in
      line.working -= 1
      note(line)
    }
    return CompletedWork(connection: work.connection, response: response, wait: wait)
  }

  private func note(_ line: Line) {
    status.note { load in
      (load.waiting, load.working) = (line.waiting.count, line.working)
    }
  }
}
