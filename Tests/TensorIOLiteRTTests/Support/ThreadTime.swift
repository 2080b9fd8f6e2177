import Foundation

/// The processor time of the current thread.
enum ThreadTime {
  static func measure(_ work: () throws -> Void) rethrows -> Duration {
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
