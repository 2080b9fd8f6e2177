import Dispatch
import Synchronization
package import TensorIOBundle
import TensorIOSystem

/// Lends each session to one caller at a time, first come, first served.
///
/// A thread holds its session from start to end, never across a suspension. If suspended tasks held
/// sessions, all threads of Swift's pool could block waiting for a session that only one of them
/// could release. Therefore a task enqueues a closure that runs on a background thread, and a
/// synchronous caller blocks its own thread.
///
/// Application code runs while a session is held only in ``lending(_:)``, which prevents a run from
/// waiting for itself.
package final class SessionPool: Sendable {
  private let state: Mutex<State>
  private let createSession: @Sendable () throws(ModelError) -> any Session
  private let timeout: Duration?
  private let runTimeout: Duration?
  /// Whether sessions keep values from run to run.
  let hasState: Bool
  /// Whether they are reset before each run.
  let resetsState: Bool
  private let timers = DispatchQueue(label: "tensorio.timers")

  /// Creates a pool with one session; the others are created when they are first needed.
  ///
  /// - Parameters:
  ///   - capacity: The maximum number of sessions.
  ///   - timeout: How long a caller waits for a session; `nil` waits without limit.
  ///   - runTimeout: How long a session may be in use for one run; `nil` for no limit.
  ///   - resetsState: Whether the state of a session, if it has one, is reset before each run.
  ///   - make: Creates a session.
  /// - Throws: The error of `make`.
  package init(
    capacity: Int, timeout: Duration? = nil, runTimeout: Duration? = nil,
    resettingState resetsState: Bool = false,
    _ make: @escaping @Sendable () throws(ModelError) -> any Session
  ) throws(ModelError) {
    let session = try make()
    state = Mutex(State(idle: [session], remainingCapacity: max(0, capacity - 1)))
    hasState = session.abilities.resetState != nil
    self.resetsState = resetsState && hasState
    self.createSession = make
    self.timeout = timeout
    self.runTimeout = runTimeout
  }

  /// Returns a pool of one session with the limits of this pool, which does not reset it between runs.
  ///
  /// The session is an idle one of this pool, which creates another one when it needs it, so that a model
  /// that only a stream uses has one session.
  func makeStreamPool() throws(ModelError) -> SessionPool {
    try SessionPool(capacity: 1, timeout: timeout, runTimeout: runTimeout) {
      () throws(ModelError) in
      let idle = self.state.withLock { state in
        let session = state.idle.popLast()
        if session != nil { state.remainingCapacity += 1 }
        return session
      }
      return if let idle { idle } else { try self.createSession() }
    }
  }

  /// The number of callers that are waiting for a session.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Creates all sessions that do not exist yet.
  func createAllSessions() throws(ModelError) {
    while state.withLock({ $0.reserveCapacity() }) { release(try createReservedSession()) }
  }

  /// Runs `body` with a session on the calling thread, blocking until one is free.
  package func withSession<Result: ~Copyable>(
    _ body: (any Session) throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    let session = try acquire()
    defer { release(session) }
    guard runTimeout != nil else { return try run(body, with: session) }
    return try run(body, with: session, RunControl())
  }

  /// Runs `body`; inputs that a failed run has written do not reach the next one.
  private func run<Result: ~Copyable>(
    _ body: (any Session) throws(ModelError) -> Result, with session: any Session
  ) throws(ModelError) -> Result {
    do throws(ModelError) {
      if resetsState { try session.abilities.resetState?() }
      return try body(session)
    } catch {
      session.abilities.discardInputs?()
      throw error
    }
  }

  /// Runs `body`, which ends early if `control` is canceled or the time limit of a run passes.
  private func run<Result: ~Copyable>(
    _ body: (any Session) throws(ModelError) -> Result, with session: any Session,
    _ control: RunControl
  ) throws(ModelError) -> Result {
    control.begin(session)
    defer { control.end() }
    let timer = runTimeout.map { limit in
      let timer = DispatchWorkItem { control.cancel(.runTimedOut(limit: limit)) }
      timers.asyncAfter(deadline: DispatchTime(after: limit), execute: timer)
      return timer
    }
    defer { timer?.cancel() }
    do throws(ModelError) {
      return try run(body, with: session)
    } catch {
      throw control.reason.map { ModelError(.run, $0) } ?? error
    }
  }

  /// Runs `body` with a session on a background thread and suspends until it has finished.
  ///
  /// A task that is canceled while it waits leaves the queue. If `body` has started, the run ends as
  /// soon as the runtime allows. The session is released before the task resumes.
  ///
  /// - Parameters:
  ///   - waited: The part of the timeout that the caller has already used.
  ///   - body: The closure to run with the session.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or a ``ModelError`` if the task is canceled or the timeout
  ///   elapses while it waits, or a session cannot be created.
  func submit<Value: Sendable>(
    alreadyWaited waited: Duration = .zero,
    _ body: @escaping @Sendable (any Session) throws(ModelError) -> Value
  ) async throws(ModelError) -> Value {
    let ticket = Mutex<WaitQueue<Waiter>.Ticket?>(nil)
    let control = RunControl()
    let result: Result<Value, ModelError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let place = enqueue(alreadyWaited: waited) { session in
          let result = Result { () throws(ModelError) in
            try self.run(body, with: session.get(), control)
          }
          return { continuation.resume(returning: result) }
        }
        ticket.withLock { $0 = place }
        if Task.isCancelled { cancelWaiter(place, .cancelled) }
      }
    } onCancel: {
      cancelWaiter(ticket.withLock(\.self), .cancelled)
      control.cancel(.cancelled)
    }
    return try result.get()
  }
}

extension SessionPool {
  /// The pools whose sessions the callers of this thread hold.
  @TaskLocal private static var lentPools: Set<ObjectIdentifier> = []

  /// Calls application code while the caller holds a session.
  ///
  /// If the code needs another session of this pool, it gets one that is free, or an error.
  func lending<Value>(
    _ body: () throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let pools = Self.lentPools.union([ObjectIdentifier(self)])
    return try Self.$lentPools.withValue(pools) { Result(catching: body) }.get()
  }

  /// Whether the calling thread holds a session of this pool, so that it must not wait for one.
  private var isLending: Bool { Self.lentPools.contains(ObjectIdentifier(self)) }

  /// Returns the session that a waiter has received already, and throws an error if it has none.
  private func takeWithoutWaiting(
    _ waiter: BlockedWaiter, _ ticket: WaitQueue<Waiter>.Ticket
  ) throws(ModelError) -> any Session {
    guard !abandonWait(waiter, ticket) else {
      throw ModelError(
        .run, .unsupported("running a model while its outputs are read in its only free session"))
    }
    return session(of: waiter)
  }
}

extension SessionPool {
  private typealias SessionResult = Result<any Session, ModelError>
  /// The closure of a waiting task; it runs with a session and returns the step that resumes the
  /// task.
  private typealias Work = @Sendable (SessionResult) -> @Sendable () -> Void

  private struct State {
    var idle: [any Session]
    /// The number of sessions that may still be created.
    var remainingCapacity: Int
    var waiting = WaitQueue<Waiter>()

    /// Reserves the right to create a session; returns false if the pool is at capacity.
    mutating func reserveCapacity() -> Bool {
      guard remainingCapacity > 0 else { return false }
      remainingCapacity -= 1
      return true
    }

    /// Takes a free session, reserves the right to create one, or appends a waiter to the queue.
    mutating func acquireOrEnqueue(_ waiter: () -> Waiter) -> Acquisition {
      if let session = idle.popLast() { return .session(session) }
      if reserveCapacity() { return .mayCreate }
      let waiter = waiter()
      return .queued(waiter, waiting.append(waiter))
    }
  }

  private enum Acquisition {
    case session(any Session)
    case mayCreate
    case queued(Waiter, WaitQueue<Waiter>.Ticket)
  }

  private enum Waiter: Sendable {
    case thread(BlockedWaiter)
    case task(Work)
  }

  /// The slot in which a waiting thread receives its session.
  private final class BlockedWaiter: Sendable {
    let ready = DispatchSemaphore(value: 0)
    let session = Mutex<(any Session)?>(nil)
  }
}

extension SessionPool {
  /// Takes a session, which the caller releases.
  func acquire() throws(ModelError) -> any Session {
    switch state.withLock({ $0.acquireOrEnqueue { .thread(BlockedWaiter()) } }) {
    case .session(let session): return session
    case .queued(.thread(let waiter), let ticket):
      return try isLending
        ? takeWithoutWaiting(waiter, ticket) : wait(for: waiter, ticket)
    case .mayCreate, .queued(.task, _): return try createReservedSession()
    }
  }

  private func wait(
    for waiter: BlockedWaiter, _ ticket: WaitQueue<Waiter>.Ticket
  ) throws(ModelError) -> any Session {
    if waiter.ready.wait(timeout: deadline()) == .timedOut, abandonWait(waiter, ticket) {
      throw ModelError(.run, .timedOut)
    }
    return session(of: waiter)
  }

  private func session(of waiter: BlockedWaiter) -> any Session {
    guard let session = waiter.session.withLock({ $0 }) else {
      preconditionFailure("a thread was woken without a session")
    }
    return session
  }

  private func deadline(alreadyWaited waited: Duration = .zero) -> DispatchTime {
    guard let timeout else { return .distantFuture }
    return DispatchTime(after: timeout, alreadyWaited: waited)
  }

  /// Removes a waiter from the queue; returns false if it has already received a session.
  private func abandonWait(
    _ waiter: BlockedWaiter, _ ticket: WaitQueue<Waiter>.Ticket
  ) -> Bool {
    let isRemoved = state.withLock { $0.waiting.remove(ticket) != nil }
    if !isRemoved { waiter.ready.wait() }
    return isRemoved
  }

  /// Starts work with a session; returns the place of work that waits for one.
  private func enqueue(
    alreadyWaited waited: Duration, _ work: @escaping Work
  ) -> WaitQueue<Waiter>.Ticket? {
    switch state.withLock({ $0.acquireOrEnqueue { .task(work) } }) {
    case .session(let session): start(work, with: session)
    case .mayCreate:
      BackgroundThread.start {
        self.finish(work, with: SessionResult(catching: self.createReservedSession))
      }
    case .queued(_, let ticket):
      if timeout != nil {
        timers.asyncAfter(deadline: deadline(alreadyWaited: waited)) {
          self.cancelWaiter(ticket, .timedOut)
        }
      }
      return ticket
    }
    return nil
  }

  private func cancelWaiter(_ ticket: WaitQueue<Waiter>.Ticket?, _ reason: ModelError.Reason) {
    guard let ticket, case .task(let work)? = state.withLock({ $0.waiting.remove(ticket) }) else {
      return
    }
    work(.failure(ModelError(.run, reason)))()
  }

  private func createReservedSession() throws(ModelError) -> any Session {
    do {
      return try createSession()
    } catch {
      state.withLock { $0.remainingCapacity += 1 }
      throw error
    }
  }

  /// Passes a session on to the next waiter, or keeps it for the next caller.
  func release(_ session: any Session) {
    let next: Waiter? = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.idle.append(session) }
      return next
    }
    switch next {
    case nil: break
    case .thread(let waiter):
      waiter.session.withLock { $0 = session }
      waiter.ready.signal()
    case .task(let work): start(work, with: session)
    }
  }

  private func start(_ work: @escaping Work, with session: any Session) {
    BackgroundThread.start { self.finish(work, with: .success(session)) }
  }

  /// Runs the work and passes the session on before the task resumes, so that a task that runs a
  /// model several times in a row needs only one session.
  private func finish(_ work: Work, with session: SessionResult) {
    let resume = work(session)
    if case .success(let session) = session { release(session) }
    resume()
  }
}

private func ~= <Object: AnyObject>(pattern: Object, value: Object) -> Bool {
  pattern === value
}
