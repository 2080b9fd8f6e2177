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
  /// The context of the request, which identifies it.
  let context: RequestContext
  let response: HTTPResponse
  let queueDuration: Duration
}

/// Bounded queues of requests and the worker threads that handle them.
///
/// Requests begin in the foreground lane, first in, first out. Handlers whose steps take long move
/// to the background lane, whose threads have a low priority, so that such requests do not occupy
/// the threads of others. In both lanes, a handler runs one step at a time while others wait.
final class RequestQueue: Sendable {
  /// A request and what its handler does next.
  fileprivate struct Job: Sendable {
    let work: QueuedRequest
    /// The next step; `nil` if the handler has not started.
    var next: HandlerContinuation?
    var queueDuration = Duration.zero
  }

  private struct Lane {
    var waiting: [Job] = []
    var active = 0
  }

  private enum LaneName: Sendable {
    case foreground, background
  }

  private struct State {
    var foreground = Lane()
    var background = Lane()
    var isClosed = false

    subscript(lane: LaneName) -> Lane {
      get { lane == .foreground ? foreground : background }
      set { if lane == .foreground { foreground = newValue } else { background = newValue } }
    }
  }

  private let state = Mutex(State())
  private let foregroundWork = DispatchSemaphore(value: 0)
  private let backgroundWork = DispatchSemaphore(value: 0)
  private let workerThreads: Int
  private let maxQueued: Int
  private let status: ServerStatus

  init(workerThreads: Int, maxQueued: Int, status: ServerStatus) {
    (self.workerThreads, self.maxQueued, self.status) = (workerThreads, maxQueued, status)
  }

  /// Adds a request; returns false if the queue is full.
  func enqueue(_ work: QueuedRequest) -> Bool {
    let isEnqueued = state.withLock { state in
      let queued = state.foreground.waiting.count { $0.next == nil }
      guard queued - (workerThreads - state.foreground.active) < maxQueued else { return false }
      state.foreground.waiting.append(Job(work: work))
      reportLoad(state)
      return true
    }
    if isEnqueued { foregroundWork.signal() }
    return isEnqueued
  }

  /// Removes a connection's request; returns false if a worker thread has it or is about to.
  func cancel(_ connection: UInt64) -> Bool {
    state.withLock { state in
      let waiting = state.foreground.waiting
      guard let index = waiting.firstIndex(where: { $0.work.connectionID == connection }),
        waiting[index].next == nil, index >= workerThreads - state.foreground.active
      else { return false }
      state.foreground.waiting.remove(at: index)
      reportLoad(state)
      return true
    }
  }

  /// Removes a canceled request that waits for its next step, which releases its memory.
  func discard(_ context: RequestContext) {
    state.withLock { state in
      state.foreground.waiting.removeAll { $0.work.request.context === context }
      state.background.waiting.removeAll { $0.work.request.context === context }
      reportLoad(state)
    }
  }

  /// Starts the worker threads, which pass each response to `completion`.
  ///
  /// Returns false if the system has no resources for them.
  func start(_ completion: @escaping @Sendable (CompletedResponse) -> Void) -> Bool {
    (0..<workerThreads).allSatisfy { _ in
      PermanentThread.start { [self] in
        run(.foreground, wokenBy: foregroundWork, completion)
      }
        && PermanentThread.start(.background) { [self] in
          run(.background, wokenBy: backgroundWork, completion)
        }
    }
  }

  /// Stops the worker threads.
  func close() {
    state.withLock { $0.isClosed = true }
    for _ in 0..<workerThreads {
      foregroundWork.signal()
      backgroundWork.signal()
    }
  }
}

// MARK: Worker threads

extension RequestQueue {
  private func run(
    _ lane: LaneName, wokenBy work: DispatchSemaphore,
    _ completion: (CompletedResponse) -> Void
  ) {
    while true {
      work.wait()
      if state.withLock({ $0.isClosed }) { return }
      if let job = dequeue(lane) { run(job, lane, completion) }
    }
  }

  /// Removes the next job; `nil` if the one that was signaled has been canceled.
  private func dequeue(_ lane: LaneName) -> Job? {
    state.withLock { state in
      guard !state[lane].waiting.isEmpty else { return nil }
      state[lane].active += 1
      defer { reportLoad(state) }
      return state[lane].waiting.removeFirst()
    }
  }

  /// Runs steps of a job until it is done or has to wait for others.
  private func run(_ job: Job, _ lane: LaneName, _ completion: (CompletedResponse) -> Void) {
    var job = job
    let context = job.work.request.context
    while !context.isCanceled {
      switch nextStep(&job) {
      case .response(let response):
        release(lane)
        return completion(job.completed(response))
      case .more(let continuation):
        job.next = continuation
        switch reschedule(job, lane) {
        case .waiting: return
        case .rejected: return completion(job.completed(.overloaded))
        case .running: continue
        }
      }
    }
    release(lane)
  }

  private func nextStep(_ job: inout Job) -> HandlerStep {
    if let next = job.next { return next.resume() }
    job.queueDuration = job.work.enqueuedAt.duration(to: .now)
    return job.work.route.begin(job.work.request)
  }

  private func release(_ lane: LaneName) {
    state.withLock { state in
      state[lane].active -= 1
      reportLoad(state)
    }
  }

  private enum Schedule {
    case running, waiting, rejected
  }

  /// Moves a job to the background or behind those that wait, if necessary.
  private func reschedule(_ job: Job, _ lane: LaneName) -> Schedule {
    let isInForeground = lane == .foreground
    let movesToBackground = isInForeground && job.next?.isBackground == true
    let schedule: Schedule = state.withLock { state in
      if movesToBackground {
        state.foreground.active -= 1
        defer { reportLoad(state) }
        let idle = workerThreads - state.background.active
        guard state.background.waiting.count - idle < maxQueued else { return .rejected }
        state.background.waiting.append(job)
        return .waiting
      }
      guard !state[lane].waiting.isEmpty else { return .running }
      state[lane].active -= 1
      state[lane].waiting.append(job)
      return .waiting
    }
    if schedule == .waiting {
      _ = (isInForeground && !movesToBackground ? foregroundWork : backgroundWork).signal()
    }
    return schedule
  }

  private func reportLoad(_ state: State) {
    let lanes = [state.foreground, state.background]
    let waiting = lanes.reduce(0) { $0 + $1.waiting.count }
    let queued = state.foreground.waiting.count { $0.next == nil }
    let active = lanes.reduce(0) { $0 + $1.active } + waiting - queued
    status.updateLoad { load in (load.queuedRequests, load.activeRequests) = (queued, active) }
  }
}

extension RequestQueue.Job {
  fileprivate func completed(_ response: HTTPResponse) -> CompletedResponse {
    CompletedResponse(
      connectionID: work.connectionID, context: work.request.context, response: response,
      queueDuration: queueDuration)
  }
}
