import Dispatch
import Foundation
import Synchronization
import Testing

/// A gate at which threads wait until a test opens it.
public final class TestGate: Sendable {
  private let opened = DispatchSemaphore(value: 0)
  private let waiters = Mutex(0)
  private let hasOpened = Mutex(false)

  public init() {}

  /// Whether the gate has been opened.
  public var isOpen: Bool { hasOpened.withLock { $0 } }

  /// The number of threads that have reached the gate.
  public var waiterCount: Int { waiters.withLock { $0 } }

  /// Blocks the calling thread until the gate is opened.
  public func wait() {
    waiters.withLock { $0 += 1 }
    opened.wait()
    opened.signal()
  }

  /// Opens the gate for all current and future threads.
  public func open() {
    hasOpened.withLock { $0 = true }
    opened.signal()
  }
}

/// Suspends until a condition is true. Fails the test, and names the caller, if that takes longer
/// than any machine needs.
public func waitUntil(
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
  column: Int = #column, _ condition: @Sendable () -> Bool
) async throws {
  let deadline = ContinuousClock.now + HangGuard.step
  while !condition() {
    try #require(
      ContinuousClock.now < deadline, "The condition should have become true",
      sourceLocation: SourceLocation(
        fileID: fileID, filePath: filePath, line: line, column: column))
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// Runs a closure on a new thread outside Swift's thread pool.
public func onNewThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
