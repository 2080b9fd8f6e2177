internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Whether the user has asked to end; the process has one keyboard, and so one such wish.
private let isAskedToEnd = Atomic(false)

extension Signals {
  /// From now on an interrupt is a wish, which the answer tells; a second one ends the process.
  static func noteInterrupts() -> @Sendable () -> Bool {
    // What the handler uses must be there before it runs.
    isAskedToEnd.store(false, ordering: .sequentiallyConsistent)
    signal(SIGINT) { _ in
      if isAskedToEnd.exchange(true, ordering: .sequentiallyConsistent) {
        _exit(Signals.interruptedStatus)
      }
    }
    return { isAskedToEnd.load(ordering: .relaxed) }
  }
}
