import Dispatch
import Synchronization
import TensorIOSystem

/// A request in the queue.
struct QueuedRequest: Sendable {
  /// The connection that sent it.
  let connectionID: UInt64
  let request: HTTPRequest
  let route: Route
  let enqueuedAt: ContinuousClock.Instant
}

/// A response to be sent.
struct CompletedResponse: Sendable {
  let connectionID: UInt64
  let response: HTTPResponse
  let queueDuration: Duration
}

/// A bounded first-in, first-out queue of requests and the worker threads that handle them.
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

  /// Adds a request; returns false if the queue is full.
  func enqueue(_ work: QueuedRequest) -> Bool {
    let isEnqueued = state.withLock { state in
      guard state.waiting.count - (workerThreads - state.active) < maxQueued else { return false }
      state.waiting.append(work)
      reportLoad(state)
      return true
    }
    if isEnqueued { available.signal() }
    return isEnqueued
  }

  /// Removes a connection's request; returns false if a worker thread has it or is about to.
  func cancel(_ connection: UInt64) -> Bool {
    state.withLock { state in
      guard let index = state.waiting.firstIndex(where: { $0.connectionID == connection }),
        index >= workerThreads - state.active
      else { return false }
      state.waiting.remove(at: index)
      reportLoad(state)
      return true
    }
  }

  /// Starts the worker threads, which pass each response to `completion`.
  func start(_ completion: @escaping @Sendable (CompletedResponse) -> Void) {
    for _ in 0..<workerThreads {
      // Dispatch runs every serial queue on a separate thread.
      DispatchQueue(label: "tensorio.worker").async { [self] in
        while wait() {
          if let work = dequeue() { completion(process(work)) }
        }
      }
    }
  }

  /// Stops the worker threads.
  func close() {
    state.withLock { $0.isClosed = true }
    for _ in 0..<workerThreads { available.signal() }
  }

  private func wait() -> Bool {
    available.wait()
    return !state.withLock { $0.isClosed }
  }

  /// Removes the next request; `nil` if the one that was signaled has been canceled.
  private func dequeue() -> QueuedRequest? {
    state.withLock { state in
      guard !state.waiting.isEmpty else { return nil }
      state.active += 1
      defer { reportLoad(state) }
      return state.waiting.removeFirst()
    }
  }

  private func process(_ work: QueuedRequest) -> CompletedResponse {
    let queueDuration = work.enqueuedAt.duration(to: .now)
    let response = work.route.respond(to: work.request)
    state.withLock { state in
      state.active -= 1
      reportLoad(state)
    }
    return CompletedResponse(
      connectionID: work.connectionID, response: response, queueDuration: queueDuration)
  }

  private func reportLoad(_ state: State) {
    status.updateLoad { load in
      (load.queuedRequests, load.activeRequests) = (state.waiting.count, state.active)
    }
  }
}

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
