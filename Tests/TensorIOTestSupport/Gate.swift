import Dispatch
import Foundation
import Synchronization

/// A place where threads wait until a test lets them go on.
public final class TestGate: Sendable {
  private let opened = DispatchSemaphore(value: 0)
  private let waiters = Mutex(0)

  public init() {}

  /// How many have come as far as the gate.
  public var waiterCount: Int { waiters.withLock { $0 } }

  /// Waits in the calling thread until the gate is opened.
  public func wait() {
    waiters.withLock { $0 += 1 }
    opened.wait()
    opened.signal()
  }

  /// Lets all go on, those that come later too.
  public func open() {
    opened.signal()
  }
}

/// Suspends until something has become true; a test's time limit ends what never does.
public func waitUntil(_ condition: @Sendable () -> Bool) async throws {
  while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Runs a closure in a thread that is not one of Swift's own.
public func onNewThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: body()) }
  }
}
