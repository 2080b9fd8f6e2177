import Dispatch

/// Threads for blocking work, which would otherwise occupy the threads of Swift's thread pool.
package enum BackgroundThread {
  /// Runs work on a thread that is available immediately.
  ///
  /// Dispatch creates a thread for each active serial queue. Work on a concurrent queue may wait
  /// for a free thread, and all of them may be blocked until that work runs.
  package static func start(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "tensorio.work").async(execute: work)
  }

  /// Runs blocking work and suspends until it is done.
  package static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      start { continuation.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }
}
