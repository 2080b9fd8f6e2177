internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The two ways in which a process is asked to end, taken as wishes.
enum EndingSignals {
  /// What has come so far.
  final class Wishes: Sendable {
    fileprivate let interrupted = Atomic(false)

    /// Whether it was the user at the keyboard.
    var wasInterrupted: Bool { interrupted.load(ordering: .acquiring) }
  }

  /// Keeps the signals from ending the process, in this thread and in those that it starts.
  static func hold() {
    var signals = all
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Calls a body at the first signal that was held; the second ends the process.
  ///
  /// A thread waits for them, in which a body may do what a signal's handler may not.
  static func watch(_ body: @escaping @Sendable () -> Void) -> Wishes {
    let wishes = Wishes()
    DispatchQueue(label: "tensorio.ending").async {
      let first = next()
      if first == SIGINT { wishes.interrupted.store(true, ordering: .releasing) }
      body()
      let second = next()
      _exit(second == SIGINT ? Signals.interruptedStatus : 128 + second)
    }
    return wishes
  }

  private static func next() -> Int32 {
    var signals = all
    var signal: Int32 = 0
    unsafe sigwait(&signals, &signal)
    return signal
  }

  private static var all: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    return signals
  }
}

/// What the process does with the world's interruptions.
enum Signals {
  /// An interrupt ends the process with the exit code that says so, also where a parent has left
  /// the signal blocked, as the threads of Dispatch do to what they start.
  static func exitOnInterrupt() {
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
