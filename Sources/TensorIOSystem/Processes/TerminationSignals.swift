import Dispatch
import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The two ways in which a process is asked to end, taken as wishes.
package enum TerminationSignals {
  /// What has come so far.
  package final class State: Sendable {
    fileprivate let interrupted = Atomic(false)

    /// Whether it was the user at the keyboard.
    package var wasInterrupted: Bool { interrupted.load(ordering: .acquiring) }
  }

  /// Keeps the signals from ending the process, in this thread and in those that it starts.
  package static func block() {
    var signals = signalSet
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Calls a body at the first signal that was held; the second ends the process.
  ///
  /// A thread waits for them, in which a body may do what a signal's handler may not.
  package static func handleFirst(_ body: @escaping @Sendable () -> Void) -> State {
    let wishes = State()
    DispatchQueue(label: "tensorio.ending").async {
      let first = waitForNext()
      if first == SIGINT { wishes.interrupted.store(true, ordering: .releasing) }
      body()
      let second = waitForNext()
      _exit(second == SIGINT ? Signals.interruptedStatus : 128 + second)
    }
    return wishes
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

/// What the process does with the world's interruptions.
package enum Signals {
  /// An interrupt ends the process with the exit code that says so, also where a parent has left
  /// the signal blocked, as the threads of Dispatch do to what they start.
  package static func exitOnInterrupt() {
    signal(SIGINT) { _ in _exit(Signals.interruptedStatus) }
    var interrupt = sigset_t()
    unsafe sigemptyset(&interrupt)
    unsafe sigaddset(&interrupt, SIGINT)
    unsafe sigprocmask(SIG_UNBLOCK, &interrupt, nil)
  }
}

extension Signals {
  /// The exit status of a process that the user interrupted, as shells report it.
  static let interruptedStatus = 128 + SIGINT
}

/// Whether the user has asked to end; the process has one keyboard, and so one such wish.
private let isInterruptRequested = Atomic(false)

extension Signals {
  /// From now on an interrupt is a wish, which the answer tells; a second one ends the process.
  package static func observeInterrupts() -> @Sendable () -> Bool {
    // What the handler uses must be there before it runs.
    isInterruptRequested.store(false, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      if isInterruptRequested.exchange(true, ordering: .sequentiallyConsistent) {
        _exit(Signals.interruptedStatus)
      }
    }
    return { isInterruptRequested.load(ordering: .relaxed) }
  }
}
