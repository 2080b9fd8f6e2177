private import CForks

/// Keeps other threads from forking the process for a time.
///
/// Programs in Python fork while threads use models. A child that finds a lock of the process taken waits forever, because
/// the thread that would release it does not exist there.
package enum ForkGuard {
  /// Calls a closure, such as one that opens a model, while calls of `fork` wait.
  ///
  /// - Parameter body: The closure. It may call this function, and wait for threads that do.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package static func preventingForks<Result: ~Copyable, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    cforks_prevent()
    defer { cforks_allow() }
    return try body()
  }
}
