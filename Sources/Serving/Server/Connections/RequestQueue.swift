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
/// Each model has a lane of its own: a queue, first in, first out, and a maximum number of requests
/// that run at the same time. Threads take requests from the lanes in turn. A thread whose step
/// takes long, for example because a model hangs, is replaced by another one, so a model can only
/// use up the threads of its own lane.
///
/// Requests begin in the foreground. Handlers whose steps take long move to the background, whose
/// threads have a low priority. In both pools, a handler runs one step at a time while others wait.
/// Requests of control routes have a pool of their own, so that they never wait for runs.
final class RequestQueue: Sendable {
  /// The limits of the queues.
  struct Limits: Sendable {
    /// The number of threads that run steps, not counting those that take long; also the maximum
    /// number of requests of one lane that run at the same time.
    var workerThreads: Int
    /// The maximum number of requests that wait in one lane.
    var maxQueued: Int
    /// The time after which a step is taken to be blocked, so that its thread is replaced.
    var stallTime = Duration.milliseconds(50)
    /// The maximum number of threads of one pool that can be replaced.
    var maxStalledThreads = 4096
  }

  /// The maximum number of requests that wait in one lane of control routes, which a full queue of
  /// runs or a small limit must not affect.
  static let maxQueuedControlRequests = 1000

  let state = Mutex(State())
  let foregroundWork = DispatchSemaphore(value: 0)
  let backgroundWork = DispatchSemaphore(value: 0)
  let controlWork = DispatchSemaphore(value: 0)
  let stallCheck = DispatchSemaphore(value: 0)
  let limits: Limits
  let completion: @Sendable (CompletedResponse) -> Void

  init(
    _ limits: Limits, completion: @escaping @Sendable (CompletedResponse) -> Void
  ) {
    (self.limits, self.completion) = (limits, completion)
  }

  /// The number of requests that have not started, and of those that have and are not done.
  var load: (queued: Int, active: Int) {
    state.withLock { state in
      let lanes = Pool.Name.allCases.flatMap { state[$0].lanes.values }
      let queued = lanes.reduce(0) { $0 + $1.waiting.unstartedCount }
      let waiting = lanes.reduce(0) { $0 + $1.waiting.count }
      let active = Pool.Name.allCases.reduce(state.parked) { $0 + state[$1].active }
      return (queued, active + waiting - queued)
    }
  }

  /// Adds a request; returns false if the queue of its lane is full.
  func enqueue(_ work: QueuedRequest) -> Bool {
    let lane = work.route.lane(of: work.request)
    let isControl = work.route.execution == .control
    let pool: Pool.Name = isControl ? .control : .foreground
    let maxQueued = isControl ? Self.maxQueuedControlRequests : limits.maxQueued
    return state.withLock { state in
      guard state[pool].canEnqueue(in: lane, maxCount: limits.workerThreads + maxQueued) else {
        return false
      }
      append(Job(work: work, lane: lane), to: pool, &state)
      return true
    }
  }

  /// Removes a request that no thread has started; returns false if there is none.
  func cancel(_ context: RequestContext) -> Bool {
    state.withLock { state in
      Pool.Name.allCases.contains { pool in
        state[pool].remove { $0.isUnstarted && $0.context === context }
      }
    }
  }

  /// Whether no thread has started a request.
  func isWaiting(_ context: RequestContext) -> Bool {
    state.withLock { state in
      Pool.Name.allCases.flatMap { state[$0].lanes.values }.contains { lane in
        lane.waiting.contains { $0.isUnstarted && $0.context === context }
      }
    }
  }

  /// Removes a canceled request that waits for its next step, which releases its memory.
  func discard(_ context: RequestContext) {
    state.withLock { state in
      for pool in Pool.Name.allCases { _ = state[pool].remove { $0.context === context } }
    }
  }

  /// Starts the thread that replaces blocked ones; returns false if the system has no resources.
  ///
  /// Worker threads are started when they are first needed.
  func start() -> Bool { PermanentThread.start { [self] in replaceBlockedThreads() } }

  /// Stops all threads that are not blocked.
  func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      return Pool.Name.allCases.map { state[$0].threads }.max() ?? 0
    }
    for _ in 0...threads { Pool.Name.allCases.forEach { semaphore($0).signal() } }
    stallCheck.signal()
  }
}

extension RequestQueue {
  /// A request and what its handler does next.
  struct Job: Sendable {
    let work: QueuedRequest
    let lane: String
    /// The next step; `nil` if the handler has not started.
    var next: (@Sendable () -> HandlerStep)?
    var queueDuration = Duration.zero

    init(work: QueuedRequest, lane: String) { (self.work, self.lane) = (work, lane) }

    var context: RequestContext { work.request.context }
  }

  /// The requests of one model.
  struct Lane: Sendable {
    var waiting = WaitingJobs()
    /// The number of threads that run its requests.
    var running = 0
    /// Signaled for each new request while a thread waits for some to merge with its own.
    var collector: DispatchSemaphore?

    /// Whether a thread may take one of its requests.
    func isRunnable(_ limits: Limits) -> Bool {
      !waiting.isEmpty && running < limits.workerThreads && collector == nil
    }
  }

  /// A step that a thread is running.
  struct RunningStep: Sendable {
    let start: ContinuousClock.Instant
    var isStalled = false
  }

  /// The lanes and threads of one priority.
  struct Pool: Sendable {
    enum Name: Sendable, CaseIterable {
      case foreground, background, control
    }

    var lanes: [String: Lane] = [:]
    /// The lanes with waiting requests, in the order in which threads serve them.
    var order: [String] = []
    /// The number of threads, and of those that wait for work.
    var threads = 0
    var idle = 0
    /// The steps that threads are running, by thread.
    var running: [UInt64: RunningStep] = [:]
    var stalled = 0
    /// The number of requests that threads are handling.
    var active = 0
  }

  struct State: Sendable {
    var foreground = Pool()
    var background = Pool()
    var control = Pool()
    var lastThread: UInt64 = 0
    /// The requests that wait for something other than a thread.
    var parked = 0
    var isWatching = false
    var isClosed = false

    subscript(pool: Pool.Name) -> Pool {
      get {
        switch pool {
        case .foreground: foreground
        case .background: background
        case .control: control
        }
      }
      _modify {
        switch pool {
        case .foreground: yield &foreground
        case .background: yield &background
        case .control: yield &control
        }
      }
    }
  }
}

extension RequestQueue.Pool {
  /// Whether a lane takes another request: it runs and queues fewer than `maxCount`.
  func canEnqueue(in name: String, maxCount: Int) -> Bool {
    guard let lane = lanes[name] else { return true }
    return lane.waiting.unstartedCount + lane.running < maxCount
  }

  mutating func append(_ job: RequestQueue.Job) {
    lanes[job.lane, default: .init()].waiting.append(job)
    if lanes[job.lane]?.waiting.count == 1 { order.append(job.lane) }
  }

  /// Removes the first waiting request that satisfies a condition.
  mutating func remove(where condition: (RequestQueue.Job) -> Bool) -> Bool {
    for name in lanes.keys where lanes[name]?.waiting.removeFirst(where: condition) == true {
      tidy(name)
      return true
    }
    return false
  }

  /// Whether a lane has a waiting request and may run another one.
  func hasRunnable(_ limits: RequestQueue.Limits) -> Bool {
    order.contains { lanes[$0]?.isRunnable(limits) == true }
  }

  /// Removes the next request, of the lane whose turn it is, and counts its thread in the lane.
  mutating func dequeue(_ limits: RequestQueue.Limits) -> RequestQueue.Job? {
    guard let position = order.firstIndex(where: { lanes[$0]?.isRunnable(limits) == true }) else {
      return nil
    }
    let name = order.remove(at: position)
    guard let job = lanes[name]?.waiting.popFirst() else { return nil }
    lanes[name]?.running += 1
    active += 1
    if lanes[name]?.waiting.isEmpty == false { order.append(name) }
    return job
  }

  /// Removes requests of a lane that have not started.
  mutating func takeUnstarted(_ count: Int, of name: String) -> [RequestQueue.Job] {
    let taken = lanes[name]?.waiting.takeUnstarted(count) ?? []
    active += taken.count
    tidy(name)
    return taken
  }

  /// Ends a thread's work for a lane.
  mutating func release(_ name: String) {
    lanes[name]?.running -= 1
    tidy(name)
  }

  /// Forgets what is not needed for a lane without requests.
  private mutating func tidy(_ name: String) {
    guard let lane = lanes[name], lane.waiting.isEmpty else { return }
    order.removeAll { $0 == name }
    if lane.running == 0 { lanes[name] = nil }
  }
}
