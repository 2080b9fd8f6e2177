import Dispatch
import Synchronization

/// Graceful termination on SIGINT and SIGTERM.
package enum TerminationSignals {
  /// The state of termination.
  package final class State: Sendable {
    fileprivate let interrupted = Atomic(false)

    /// Whether the first signal was SIGINT.
    package var wasInterrupted: Bool { interrupted.load(ordering: .acquiring) }
  }

  /// Blocks the signals in this thread and in those that it starts.
  package static func block() {
    var signals = signalSet
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Calls a closure on the first signal; the second one exits the process.
  ///
  /// The closure runs on a thread, not in a signal handler, so it may call any function.
  package static func handleFirst(_ body: @escaping @Sendable () -> Void) -> State {
    let state = State()
    DispatchQueue(label: "tensorio.termination").async {
      let first = waitForNext()
      if first == SIGINT { state.interrupted.store(true, ordering: .releasing) }
      body()
      let second = waitForNext()
      _exit(second == SIGINT ? Signals.interruptedStatus : 128 + second)
    }
    return state
  }

  private static func waitForNext() -> Int32 {
    var signals = signalSet
    var signal: Int32 = 0
    unsafe sigwait(&signals, &signal)
    return signal
  }

  private static var signalSet: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    return signals
  }
}

/// Handling of interrupts by the user.
package enum Signals {
  /// Makes SIGINT exit the process with the status that shells expect, even if the parent process
  /// has blocked the signal, as Dispatch threads do for their children.
  package static func exitOnInterrupt() {
    signal(SIGINT) { _ in _exit(Signals.interruptedStatus) }
    var interrupt = sigset_t()
    unsafe sigemptyset(&interrupt)
    unsafe sigaddset(&interrupt, SIGINT)
    unsafe sigprocmask(SIG_UNBLOCK, &interrupt, nil)
  }
}

extension Signals {
  /// The exit status of an interrupted process, as shells report it.
  static let interruptedStatus = 128 + SIGINT
}

/// Whether SIGINT was received.
///
/// Signal handlers cannot capture context, so this is global.
private let isInterruptRequested = Atomic(false)

extension Signals {
  /// Returns a closure that reports whether SIGINT was received.
  ///
  /// A second SIGINT exits the process.
  package static func observeInterrupts() -> @Sendable () -> Bool {
    // Initializes the variable before the handler can run.
    isInterruptRequested.store(false, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      if isInterruptRequested.exchange(true, ordering: .sequentiallyConsistent) {
        _exit(Signals.interruptedStatus)
      }
    }
    return { isInterruptRequested.load(ordering: .relaxed) }
  }
}
