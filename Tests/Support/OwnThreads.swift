import Foundation
public import Testing

/// Runs tests on threads of their own instead of the threads of Swift's pool.
///
/// The pool has one thread per processor, which all tests of a process share: a test that blocks or computes
/// for seconds on one of them delays every test that suspends. Tasks that a test starts with `Task` still run
/// in the pool; child tasks do not.
public struct OwnThreads: TestTrait, SuiteTrait, TestScoping {
  /// Whether the tests of a suite inherit the trait.
  public var isRecursive: Bool { true }

  /// Runs a test case with an executor that starts a thread for each job.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  /// Runs tests on threads of their own; for tests that block or take seconds.
  public static var ownThreads: Self { OwnThreads() }
}

/// An executor that runs each job on a new thread.
private final class ThreadExecutor: TaskExecutor {
  static let shared = ThreadExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { [self] in
      unsafe job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
