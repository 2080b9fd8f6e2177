import Dispatch
import Synchronization

/// Graceful termination on SIGHUP, SIGINT and SIGTERM.
///
/// SIGHUP is left alone if the process was started with it ignored, as `nohup` does.
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

  /// Calls a closure with the name of the first signal, and another one with that of a later
  /// SIGINT or SIGTERM, after which the process exits.
  ///
  /// The closures run on a thread, not in a signal handler, so they may call any function. Further
  /// SIGHUPs are ignored: a closing terminal may send several.
  package static func handle(
    first: @escaping @Sendable (String) -> Void, second: @escaping @Sendable (String) -> Void
  ) -> State {
    let state = State()
    DispatchQueue(label: "tensorio.termination").async {
      let signal = waitForNext()
      if signal == SIGINT { state.interrupted.store(true, ordering: .releasing) }
      first(name(of: signal))
      var last = waitForNext()
      while last == SIGHUP { last = waitForNext() }
      second(name(of: last))
      _exit(last == SIGINT ? Signals.interruptedStatus : 128 + last)
    }
    return state
  }

  private static func waitForNext() -> Int32 {
    var signals = signalSet
    var signal: Int32 = 0
    unsafe sigwait(&signals, &signal)
    return signal
  }

  private static func name(of signal: Int32) -> String {
    switch signal {
    case SIGHUP: "SIGHUP"
    case SIGINT: "SIGINT"
    default: "SIGTERM"
    }
  }

  private static var signalSet: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    if !ignoresHangup { unsafe sigaddset(&signals, SIGHUP) }
    return signals
  }

  /// Whether the process was started with SIGHUP ignored.
  private static let ignoresHangup: Bool = {
    var action = sigaction()
    guard unsafe sigaction(SIGHUP, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = unsafe action.__sigaction_u.__sa_handler
    #else
      let handler = unsafe action.__sigaction_handler.sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }()
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
  /// Makes writes to a pipe without a reader fail instead of ending the process.
  package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

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
