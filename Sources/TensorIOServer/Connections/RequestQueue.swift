import Dispatch
import Synchronization
import TensorIOSystem

/// A request on its way to a worker.
struct QueuedRequest: Sendable {
  /// The connection that it came by.
  let connectionID: UInt64
  let request: HTTPRequest
  let route: Route
  let enqueuedAt: ContinuousClock.Instant
}

/// An answer on its way back.
struct CompletedResponse: Sendable {
  let connectionID: UInt64
  let response: HTTPResponse
  let queueDuration: Duration
}

/// Where requests wait for workers, in their order and not too many.
final class RequestQueue: Sendable {
  private struct State {
    var waiting: [QueuedRequest] = []
    var active = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let available = DispatchSemaphore(value: 0)
  private let workerThreads: Int
  private let maxQueued: Int
  private let status: ServerStatus

  init(workerThreads: Int, maxQueued: Int, status: ServerStatus) {
    (self.workerThreads, self.maxQueued, self.status) = (workerThreads, maxQueued, status)
  }

  /// Leaves a request to the workers; says whether there was room for it.
  func enqueue(_ work: QueuedRequest) -> Bool {
    let isTaken = state.withLock { line in
      guard line.waiting.count - (workerThreads - line.active) < maxQueued else { return false }
      line.waiting.append(work)
      reportLoad(line)
      return true
    }
    if isTaken { available.signal() }
    return isTaken
  }

  /// Takes a request back; says whether no worker has it, and none is on the way to it.
  func cancel(_ connection: UInt64) -> Bool {
    state.withLock { line in
      guard let index = line.waiting.firstIndex(where: { $0.connectionID == connection }),
        index >= workerThreads - line.active
      else { return false }
      line.waiting.remove(at: index)
      reportLoad(line)
      return true
    }
  }

  /// Starts the workers; each hands over what it has done.
  func start(_ handOver: @escaping @Sendable (CompletedResponse) -> Void) {
    for _ in 0..<workerThreads {
      // A queue of its own is a thread of its own.
      DispatchQueue(label: "tensorio.worker").async { [self] in
        while wait() {
          if let work = dequeue() { handOver(process(work)) }
        }
      }
    }
  }

  /// Lets the workers go home.
  func close() {
    state.withLock { $0.isClosed = true }
    for _ in 0..<workerThreads { available.signal() }
  }

  private func wait() -> Bool {
    available.wait()
    return !state.withLock { $0.isClosed }
  }

  /// The next request; `nil` when the one that was announced has been taken back.
  private func dequeue() -> QueuedRequest? {
    state.withLock { line in
      guard !line.waiting.isEmpty else { return nil }
      line.active += 1
      defer { reportLoad(line) }
      return line.waiting.removeFirst()
    }
  }

  private func process(_ work: QueuedRequest) -> CompletedResponse {
    let wait = work.enqueuedAt.duration(to: .now)
    let response = work.route.respond(to: work.request)
    state.withLock { line in
      line.active -= 1
      reportLoad(line)
    }
    return CompletedResponse(connectionID: work.connectionID, response: response, queueDuration: wait)
  }

  private func reportLoad(_ line: State) {
    status.updateLoad { load in
      (load.queuedRequests, load.activeRequests) = (line.waiting.count, line.active)
    }
  }
}

/// What other threads have to say to the one that reads and writes.
final class CompletionQueue: Sendable {
  private let completed = Mutex<[CompletedResponse]>([])
  private let pipe: WakePipe

  init() throws(ListenError) { pipe = try WakePipe() }

  /// What becomes readable when there is something.
  var descriptor: Int32 { pipe.readEnd }

  func enqueue(_ work: CompletedResponse) {
    let isFirst = completed.withLock { letters in
      letters.append(work)
      return letters.count == 1
    }
    if isFirst { pipe.wake() }
  }

  func wake() { pipe.wake() }

  func drain() -> [CompletedResponse] {
    pipe.drain()
    return completed.withLock { letters in
      defer { letters = [] }
      return letters
    }
  }
}
