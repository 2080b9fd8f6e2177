import Dispatch

/// Threads for work that takes long, so that Swift's own few are never blocked.
package enum BackgroundThread {
  /// Runs work in a thread that is there at once.
  ///
  /// Dispatch gives one to every serial queue. A concurrent queue waits until one of few threads
  /// is free, and all of them may be waiting for something that this work would give back.
  package static func start(_ work: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "tensorio.work").async(execute: work)
  }

  /// Suspends until work is done.
  package static func run<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
      start { continuation.resume(returning: Result(catching: work)) }
    }
    return try result.get()
  }
}
