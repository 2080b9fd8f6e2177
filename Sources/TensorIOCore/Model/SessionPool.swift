import Dispatch
import Synchronization
package import TensorIOBundle
import TensorIOSystem

/// Lends each session to one caller at a time, first come, first served.
///
/// A session is held by a thread from beginning to end, never across a suspension: a pool that
/// handed sessions to suspended tasks could hang, with every thread of Swift's pool waiting for a
/// session that only such a thread could return. So a task leaves its work behind, and a plain
/// caller waits in its own thread.
///
/// Nothing that an application wrote runs while a session is held, so a run never waits for
/// itself.
package final class SessionPool: Sendable {
  private let state: Mutex<State>
  private let createSession: @Sendable () throws(ModelError) -> any Session
  private let timeout: Duration?
  private let timers = DispatchQueue(label: "tensorio.timers")

  /// A pool that begins with one session and makes the others when they are first needed.
  package init(
    capacity: Int, timeout: Duration? = nil,
    _ make: @escaping @Sendable () throws(ModelError) -> any Session
  ) throws(ModelError) {
    state = Mutex(State(idle: [try make()], remainingCapacity: max(0, capacity - 1)))
    self.createSession = make
    self.timeout = timeout
  }

  /// How many callers wait for a session.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Makes the sessions that are not there yet.
  func createAllSessions() throws(ModelError) {
    while state.withLock({ $0.reserveCapacity() }) { release(try createReservedSession()) }
  }

  /// Lends a session to the calling thread, waiting for one if all are busy.
  package func withSession<Result: ~Copyable>(
    _ body: (any Session) throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    let session = try acquire()
    defer { release(session) }
    return try body(session)
  }

  /// Suspends until a session was free and the work is done, off Swift's own threads.
  ///
  /// A task that is cancelled while it waits gives up its place; work that has begun ends. When
  /// the task goes on, its session is free again.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (any Session) throws(ModelError) -> Value
  ) async throws(ModelError) -> Value {
    let ticket = WaiterID()
    let result: Result<Value, ModelError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enqueue(ticket) { session in
          let result = Result { () throws(ModelError) in try body(try session.get()) }
          return { continuation.resume(returning: result) }
        }
        if Task.isCancelled { cancelWaiter(ticket, .cancelled) }
      }
    } onCancel: {
      cancelWaiter(ticket, .cancelled)
    }
    return try result.get()
  }
}

extension SessionPool {
  private typealias Grant = Result<any Session, ModelError>
  /// What a task leaves behind: it does its work and returns how the task is told.
  private typealias Work = @Sendable (Grant) -> @Sendable () -> Void

  private struct State {
    var idle: [any Session]
    /// How many more sessions may be made.
    var remainingCapacity: Int
    var waiting: [Waiter] = []

    /// Takes the leave to make a session, while there is one.
    mutating func reserveCapacity() -> Bool {
      guard remainingCapacity > 0 else { return false }
      remainingCapacity -= 1
      return true
    }

    /// A session, leave to make one, or a place in the line.
    mutating func acquireOrEnqueue(_ waiter: () -> Waiter) -> Acquisition {
      if let session = idle.popLast() { return .session(session) }
      if reserveCapacity() { return .mayCreate }
      let waiter = waiter()
      waiting.append(waiter)
      return .queued(waiter)
    }
  }

  private enum Acquisition {
    case session(any Session)
    case mayCreate
    case queued(Waiter)
  }

  private enum Waiter: Sendable {
    case thread(BlockedWaiter)
    case task(WaiterID, Work)
  }

  /// What a waiting task is known by.
  private final class WaiterID: Sendable {}

  /// Where a waiting thread finds its session.
  private final class BlockedWaiter: Sendable {
    let ready = DispatchSemaphore(value: 0)
    let session = Mutex<(any Session)?>(nil)
  }
}

extension SessionPool {
  private func acquire() throws(ModelError) -> any Session {
    switch state.withLock({ $0.acquireOrEnqueue { .thread(BlockedWaiter()) } }) {
    case .session(let session): return session
    case .queued(.thread(let seat)): return try wait(for: seat)
    case .mayCreate, .queued(.task): return try createReservedSession()
    }
  }

  private func wait(for seat: BlockedWaiter) throws(ModelError) -> any Session {
    if seat.ready.wait(timeout: deadline) == .timedOut, abandonWait(seat) {
      throw ModelError(.run, .timedOut)
    }
    guard let session = seat.session.withLock({ $0 }) else {
      preconditionFailure("a thread is woken only with a session in its seat")
    }
    return session
  }

  private var deadline: DispatchTime {
    guard let timeout else { return .distantFuture }
    let microseconds = min(max(0, timeout.milliseconds * 1000), Self.maxTimeout)
    return .now() + .microseconds(Int(microseconds))
  }

  /// Thirty years, in microseconds; what is longer is as good as no limit.
  private static let maxTimeout = 1e15

  /// Gives up a place in the line; false when a session has been put into the seat already.
  private func abandonWait(_ seat: BlockedWaiter) -> Bool {
    let left = state.withLock { state -> Bool in
      let count = state.waiting.count
      state.waiting.removeAll { if case .thread(seat) = $0 { true } else { false } }
      return state.waiting.count < count
    }
    if !left { seat.ready.wait() }
    return left
  }

  private func enqueue(_ ticket: WaiterID, _ work: @escaping Work) {
    switch state.withLock({ $0.acquireOrEnqueue { .task(ticket, work) } }) {
    case .session(let session): start(work, with: session)
    case .mayCreate:
      BackgroundThread.start { self.finish(work, with: Grant(catching: self.createReservedSession)) }
    case .queued:
      guard timeout != nil else { return }
      timers.asyncAfter(deadline: deadline) { self.cancelWaiter(ticket, .timedOut) }
    }
  }

  private func cancelWaiter(_ ticket: WaiterID, _ reason: ModelError.Reason) {
    let work = state.withLock { state -> Work? in
      let place = state.waiting.firstIndex { if case .task(ticket, _) = $0 { true } else { false } }
      guard let place, case .task(_, let work) = state.waiting.remove(at: place) else { return nil }
      return work
    }
    work?(.failure(ModelError(.run, reason)))()
  }

  private func createReservedSession() throws(ModelError) -> any Session {
    do {
      return try createSession()
    } catch {
      state.withLock { $0.remainingCapacity += 1 }
      throw error
    }
  }

  private func release(_ session: any Session) {
    let next: Waiter? = state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.idle.append(session)
        return nil
      }
      return state.waiting.removeFirst()
    }
    switch next {
    case nil: break
    case .thread(let seat):
      seat.session.withLock { $0 = session }
      seat.ready.signal()
    case .task(_, let work): start(work, with: session)
    }
  }

  private func start(_ work: @escaping Work, with session: any Session) {
    BackgroundThread.start { self.finish(work, with: .success(session)) }
  }

  /// The session goes to the next in line before the task is told, so that a task which runs a
  /// model several times needs one session.
  private func finish(_ work: Work, with grant: Grant) {
    let tell = work(grant)
    if case .success(let session) = grant { release(session) }
    tell()
  }
}

private func ~= <Object: AnyObject>(pattern: Object, value: Object) -> Bool {
  pattern === value
}
