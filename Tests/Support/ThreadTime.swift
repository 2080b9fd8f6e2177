import Foundation

/// The processor time of the current thread, which does not depend on the load of the machine.
public enum ThreadTime {
  /// Returns the processor time of some work in the current thread.
  public static func measure(_ work: () throws -> Void) rethrows -> Duration {
    let start = now()
    try work()
    return now() - start
  }

  private static func now() -> Duration {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
