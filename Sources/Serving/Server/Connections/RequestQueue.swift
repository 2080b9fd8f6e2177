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
  /// The task of the request, which also runs the producer of a body.
  let task: RequestTask
  let response: HTTPResponse

  /// The context of the request, which identifies it.
  var context: RequestContext { task.context }
}

/// Bounded queues of requests and the worker threads that handle them.
///
/// Each model has a lane of its own: a queue, first in, first out, and a maximum number of requests
/// that run at the same time. Threads take requests from the lanes in turn. A thread that is busy for
/// long, for example because a model hangs, is replaced by another one, so a model can only
/// use up the threads of its own lane.
///
/// Requests begin in the foreground. Handlers whose work takes long move to the background, whose
/// threads have a low priority. In both pools, handlers let others run between their items.
/// Requests of control routes have a pool of their own, so that they never wait for runs.
final class RequestQueue: Sendable {
  /// The limits of the queues.
  struct Limits: Sendable {
    /// The number of threads that run handlers, not counting those that are busy for long; also the maximum
    /// number of requests of one lane that run at the same time.
    var workerThreads: Int
    /// The maximum number of requests that wait in one lane.
    var maxQueued: Int
    /// The time after which a thread is taken to be blocked, so that it is replaced.
    var stallTime = Duration.milliseconds(50)
    /// The maximum number of threads of one pool that can be replaced.
    var maxStalledThreads = 4096
  }

  /// The maximum number of requests that wait in one lane of control routes, which a full queue of
  /// runs or a small limit must not affect.
  static let maxQueuedControlRequests = 1000

  /// The maximum number of requests that have started and are not done, most of which wait without a thread.
  private static let maxStarted = 20_000

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
      return (lanes.reduce(0) { $0 + $1.waiting.unstartedCount }, state.started)
    }
  }

  /// Adds a request; returns false if the queue of its lane is full.
  func enqueue(_ work: QueuedRequest) -> Bool {
    let lane = work.route.lane(of: work.request)
    let isControl = work.route.execution == .control
    let pool: Pool.Name = isControl ? .control : .foreground
    let maxQueued = isControl ? Self.maxQueuedControlRequests : limits.maxQueued
    return state.withLock { state in
      guard !state.isClosed, state.started < Self.maxStarted,
        state[pool].canEnqueue(in: lane, maxCount: limits.workerThreads + maxQueued)
      else { return false }
      append(Job(RequestTask(work, lane, pool, self)), to: pool, &state)
      return true
    }
  }

  /// Removes a request that no thread has started; returns false if there is none.
  func cancel(_ context: RequestContext) -> Bool {
    state.withLock { state in
      Pool.Name.allCases.contains { pool in
        state[pool].remove { $0.isUnstarted && $0.task.context === context }
      }
    }
  }

  /// Whether no thread has started a request.
  func isWaiting(_ context: RequestContext) -> Bool {
    state.withLock { state in
      Pool.Name.allCases.flatMap { state[$0].lanes.values }.contains { lane in
        lane.waiting.contains { $0.isUnstarted && $0.task.context === context }
      }
    }
  }

  /// Removes a canceled request, or lets its handler end before others run, which releases its memory.
  func discard(_ context: RequestContext) {
    state.withLock { state in
      for pool in Pool.Name.allCases { state[pool].hasten(context) }
    }
  }

  /// Starts the thread that replaces blocked ones; returns false if the system has no resources.
  ///
  /// Worker threads are started when they are first needed.
  func start() -> Bool { PermanentThread.start { [self] in replaceBlockedThreads() } }

  /// Stops all threads that are not blocked, when the handlers that have started are done.
  func close() {
    let threads = state.withLock { state in
      state.isClosed = true
      for pool in Pool.Name.allCases {
        state[pool].removeUnstarted()
        state[pool].idle = 0
      }
      return Pool.Name.allCases.map { state[$0].threads }.max() ?? 0
    }
    for _ in 0...threads { Pool.Name.allCases.forEach { semaphore($0).signal() } }
    stallCheck.signal()
  }
}

extension RequestQueue {
  typealias Job = RequestTask.Job

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

  /// What a thread is doing.
  struct RunningJob: Sendable {
    let lane: String
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
    /// The jobs that threads are doing, by thread.
    var running: [UInt64: RunningJob] = [:]
    var stalled = 0
  }

  struct State: Sendable {
    var foreground = Pool()
    var background = Pool()
    var control = Pool()
    var lastThread: UInt64 = 0
    /// The number of requests that have started and are not done.
    var started = 0
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

extension RequestQueue.State {
  /// Removes requests of a lane that have not started, which have then.
  mutating func takeUnstarted(_ count: Int, of lane: String) -> [RequestQueue.Job] {
    let jobs = foreground.takeUnstarted(count, of: lane)
    started += jobs.count
    return jobs
  }
}

extension RequestQueue.Pool {
  /// Whether a lane takes another request: it runs and queues fewer than `maxCount`.
  func canEnqueue(in name: String, maxCount: Int) -> Bool {
    guard let lane = lanes[name] else { return true }
    return lane.waiting.unstartedCount + lane.running < maxCount
  }

  mutating func append(_ job: RequestQueue.Job) {
    let name = job.task.lane
    lanes[name, default: .init()].waiting.append(job)
    if lanes[name]?.waiting.count == 1 { order.append(name) }
  }

  /// Removes the first waiting request that satisfies a condition.
  mutating func remove(where condition: (RequestQueue.Job) -> Bool) -> Bool {
    for name in lanes.keys where lanes[name]?.waiting.removeFirst(where: condition) != nil {
      tidy(name)
      return true
    }
    return false
  }

  /// Removes a canceled request that has not started, and moves the job of one that has to the front of its lane.
  mutating func hasten(_ context: RequestContext) {
    for name in lanes.keys {
      guard let job = lanes[name]?.waiting.removeFirst(where: { $0.task.context === context })
      else {
        continue
      }
      if job.isUnstarted { tidy(name) } else { lanes[name]?.waiting.prepend(job) }
      return
    }
  }

  /// Removes all requests that have not started.
  mutating func removeUnstarted() {
    for name in lanes.keys {
      _ = lanes[name]?.waiting.takeUnstarted(.max)
      tidy(name)
    }
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
    if lanes[name]?.waiting.isEmpty == false { order.append(name) }
    return job
  }

  /// Removes requests of a lane that have not started.
  mutating func takeUnstarted(_ count: Int, of name: String) -> [RequestQueue.Job] {
    let taken = lanes[name]?.waiting.takeUnstarted(count) ?? []
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
