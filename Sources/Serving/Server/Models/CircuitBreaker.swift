import Synchronization
package import TensorIOBundle

/// Suspends a model whose runs fail one after the other, and tries it again later.
///
/// After ``maxFailures`` consecutive failures the circuit opens: requests are rejected at once for
/// a time that doubles with each further failure. Then it is half-open: one request runs as a
/// probe. If the probe succeeds, the circuit closes.
package final class CircuitBreaker: Sendable {
  /// How many consecutive failures suspend a model.
  package static let maxFailures = 3
  /// For how long a model is suspended at first.
  static let minSuspension = Duration.seconds(5)
  /// For how long a model is suspended at most.
  static let maxSuspension = Duration.seconds(60)

  /// An admitted run.
  struct Admission: Sendable {
    fileprivate let id: UInt64
    /// Whether the run decides if the suspension ends.
    let isProbe: Bool
  }

  private struct State {
    var failures = 0
    /// The end of the suspension; `nil` while the circuit is closed.
    var suspendedUntil: ContinuousClock.Instant?
    /// The probe that is running.
    var probe: UInt64?
    var lastID: UInt64 = 0
    /// The start times of the runs in progress.
    var running: [UInt64: ContinuousClock.Instant] = [:]
    /// The runs in progress that have been counted as failures because they exceed the limit.
    var overdue: Set<UInt64> = []
  }

  private let runLimit: Duration
  private let onChange: @Sendable (_ seconds: Int?) -> Void
  private let state = Mutex(State())

  /// Creates a closed circuit.
  ///
  /// - Parameters:
  ///   - runLimit: The time after which a run counts as a failure, although it has not ended.
  ///   - onChange: Called when the model is suspended, with the number of seconds, or resumed, with
  ///     `nil`.
  package init(
    runLimit: Duration = .seconds(120),
    onChange: @escaping @Sendable (_ seconds: Int?) -> Void = { _ in }
  ) { (self.runLimit, self.onChange) = (runLimit, onChange) }

  /// Whether requests are rejected at this time.
  package func isOpen(at now: ContinuousClock.Instant = .now) -> Bool {
    rejection(at: now) != nil
  }

  /// The error of a request that would be rejected; `nil` if it would run.
  package func rejection(at now: ContinuousClock.Instant = .now) -> ModelError? {
    update(now) { state in
      countOverdueRuns(&state, now)
      return Self.rejection(state, now)
    }
  }

  /// Admits a run, which is a probe if the suspension is over; throws if the model is suspended.
  func admit(at now: ContinuousClock.Instant = .now) throws(ModelError) -> Admission {
    try update(now) { state in
      countOverdueRuns(&state, now)
      return Result { () throws(ModelError) in
        if let error = Self.rejection(state, now) { throw error }
        state.lastID += 1
        state.running[state.lastID] = now
        if state.suspendedUntil != nil { state.probe = state.lastID }
        return Admission(id: state.lastID, isProbe: state.probe == state.lastID)
      }
    }.get()
  }

  /// Records the end of an admitted run; `error` is `nil` if it succeeded.
  func record(
    _ error: ModelError?, of run: Admission, at now: ContinuousClock.Instant = .now
  ) {
    update(now) { state in
      state.running[run.id] = nil
      let wasCounted = state.overdue.remove(run.id) != nil
      if let error, error.countsAgainstModel {
        if !wasCounted { Self.countFailure(of: run.id, &state, now) }
      } else if state.suspendedUntil == nil || state.probe == run.id || wasCounted {
        (state.failures, state.suspendedUntil, state.probe) = (0, nil, nil)
      }
    }
  }

  /// Changes the state, and reports a suspension that this begins or ends.
  private func update<Value: Sendable>(
    _ now: ContinuousClock.Instant, _ change: (inout State) -> Value
  ) -> Value {
    let (value, before, after) = state.withLock { state in
      let before = state.suspendedUntil
      return (change(&state), before, state.suspendedUntil)
    }
    if before != after { onChange(after.map { now.duration(to: $0).roundedUpSeconds }) }
    return value
  }

  /// Counts runs that have not ended within the limit, such as those that hang in the server.
  private func countOverdueRuns(_ state: inout State, _ now: ContinuousClock.Instant) {
    for (id, start) in state.running
    where start.duration(to: now) > runLimit && !state.overdue.contains(id) {
      state.overdue.insert(id)
      Self.countFailure(of: id, &state, now)
    }
  }

  private static func countFailure(
    of run: UInt64, _ state: inout State, _ now: ContinuousClock.Instant
  ) {
    // Runs that began before the suspension do not extend it.
    if state.suspendedUntil != nil, state.probe != run { return }
    state.failures += 1
    state.probe = nil
    guard state.failures >= maxFailures else { return }
    let doublings = min(10, state.failures - maxFailures)
    state.suspendedUntil = now + min(minSuspension * (1 << doublings), maxSuspension)
  }

  private static func rejection(_ state: State, _ now: ContinuousClock.Instant) -> ModelError? {
    guard let end = state.suspendedUntil, state.probe != nil || now < end else { return nil }
    let seconds = max(1, now.duration(to: end).roundedUpSeconds)
    return ModelError(.run, .suspended(crashes: state.failures, seconds: seconds))
  }
}

extension Duration {
  /// The number of seconds, rounded up.
  fileprivate var roundedUpSeconds: Int {
    Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0)
  }
}

extension ModelError {
  /// Whether the model is at fault, rather than the input or the load of the server.
  var countsAgainstModel: Bool {
    switch self {
    case ModelError.workerCrashed, ModelError.runTimedOut, ModelError.suspended: true
    default: false
    }
  }
}
