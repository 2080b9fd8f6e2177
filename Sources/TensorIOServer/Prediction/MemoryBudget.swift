import Dispatch
import Synchronization
import TensorIOSystem

/// Memory that requests share: each reserves its part and waits until it is available.
///
/// Reservations are served in order. Background work can reserve three quarters only, so that it
/// does not delay other requests.
package final class MemoryBudget: Sendable {
  private struct Waiter {
    let id: UInt64
    let bytes: Int
    let isBackground: Bool
    let semaphore: DispatchSemaphore
  }

  private struct State {
    var usedBytes = 0
    var backgroundBytes = 0
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
  }

  /// The size of the budget, in bytes.
  package let byteCount: Int
  private let state = Mutex(State())

  /// The largest default budget.
  private static let maxDefaultByteCount = 1 << 30

  /// A quarter of the memory that the machine or the container has, at most 1 GiB.
  package static var defaultByteCount: Int {
    min(Platform.availableMemory / 4, maxDefaultByteCount)
  }

  /// Creates a budget.
  package init(byteCount: Int) { self.byteCount = max(1, byteCount) }

  /// The bytes that are reserved.
  package var usedBytes: Int { state.withLock { $0.usedBytes } }

  /// The number of reservations that wait.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// The largest reservation that can succeed.
  package func maxBytes(isBackground: Bool) -> Int {
    isBackground ? byteCount - byteCount / 4 : byteCount
  }

  /// Reserves bytes, and waits for them until a deadline.
  ///
  /// Returns false if the deadline passed, or if the budget is too small.
  func reserve(
    _ bytes: Int, isBackground: Bool, until deadline: ContinuousClock.Instant
  ) -> Bool {
    guard bytes <= maxBytes(isBackground: isBackground) else { return false }
    let waiter: Waiter? = state.withLock { state in
      state.lastID += 1
      let waiter = Waiter(
        id: state.lastID, bytes: bytes, isBackground: isBackground,
        semaphore: DispatchSemaphore(value: 0))
      let isFirst = !state.waiters.contains { $0.isBackground == isBackground }
      if isFirst, fits(waiter, state) {
        take(waiter, &state)
        return nil
      }
      state.waiters.append(waiter)
      return waiter
    }
    guard let waiter else { return true }
    let milliseconds = max(0, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)
    guard waiter.semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .timedOut else {
      return true
    }
    return !state.withLock { state in
      // If the waiter is gone, it was served just before the deadline.
      guard let index = state.waiters.firstIndex(where: { $0.id == waiter.id }) else {
        return false
      }
      state.waiters.remove(at: index)
      serveWaiters(&state)
      return true
    }
  }

  /// Releases reserved bytes.
  func release(_ bytes: Int, isBackground: Bool) {
    state.withLock { state in
      state.usedBytes -= bytes
      if isBackground { state.backgroundBytes -= bytes }
      serveWaiters(&state)
    }
  }

  private func fits(_ waiter: Waiter, _ state: State) -> Bool {
    guard waiter.bytes <= byteCount - state.usedBytes else { return false }
    return !waiter.isBackground
      || waiter.bytes <= maxBytes(isBackground: true) - state.backgroundBytes
  }

  private func take(_ waiter: Waiter, _ state: inout State) {
    state.usedBytes += waiter.bytes
    if waiter.isBackground { state.backgroundBytes += waiter.bytes }
  }

  /// Serves the first waiters of both kinds, foreground first, as long as they fit.
  private func serveWaiters(_ state: inout State) {
    for isBackground in [false, true] {
      while let index = state.waiters.firstIndex(where: { $0.isBackground == isBackground }),
        fits(state.waiters[index], state)
      {
        let waiter = state.waiters.remove(at: index)
        take(waiter, &state)
        waiter.semaphore.signal()
      }
    }
  }
}
