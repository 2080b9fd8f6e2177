import Synchronization
import TensorIOBundle

/// Ends a run from another thread.
final class RunControl: Sendable {
  private struct State {
    /// The session while it runs.
    var session: (any Session)?
    /// Why the run has to end.
    var reason: ModelError.Reason?
  }

  private let state = Mutex(State())

  /// Why the run was ended; `nil` if it was not.
  var reason: ModelError.Reason? { state.withLock { $0.reason } }

  /// Begins a run, which ends at once if it has been canceled already.
  func begin(_ session: any Session) {
    state.withLock { state in
      state.session = session
      if state.reason != nil { session.abilities.setCancelled?(true) }
    }
  }

  /// Ends a run, after which the session can be used again.
  func end() {
    state.withLock { state in
      if state.reason != nil { state.session?.abilities.setCancelled?(false) }
      state.session = nil
    }
  }

  /// Cancels the run, unless it has been canceled for another reason.
  func cancel(_ reason: ModelError.Reason) {
    state.withLock { state in
      guard state.reason == nil else { return }
      state.reason = reason
      state.session?.abilities.setCancelled?(true)
    }
  }
}
