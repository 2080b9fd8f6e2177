import Foundation

/// The processor's time that this thread takes, whatever else the machine does.
enum ThreadTime {
  static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start = now()
    try work()
    return now() - start
  }

  /// Whether some work takes longer than a limit each time: what interrupts a thread counts as its own.
  static func exceeds(_ limit: Duration, _ work: () throws -> Void) rethrows -> Bool {
    for _ in 0..<3 where try measure(work) < limit { return false }
    return true
  }

  private static func now() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
