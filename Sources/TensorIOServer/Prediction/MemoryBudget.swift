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
    /// Called once, outside of the lock: whether the memory is reserved.
    let completion: @Sendable (Bool) -> Void
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
  private let timers = DispatchQueue(label: "tensorio.memory-timers")

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

  /// Reserves bytes, and waits for them on the calling thread until a deadline.
  ///
  /// Returns false if the deadline passed, or if the budget is too small.
  func reserve(
    _ bytes: Int, isBackground: Bool, until deadline: ContinuousClock.Instant
  ) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let isReserved = Atomic(false)
    reserve(bytes, isBackground: isBackground, until: deadline) { result in
      isReserved.store(result, ordering: .releasing)
      done.signal()
    }
    done.wait()
    return isReserved.load(ordering: .acquiring)
  }

  /// Reserves bytes if they are available and no other reservation waits for them.
  func reserveImmediately(_ bytes: Int, isBackground: Bool) -> Bool {
    state.withLock { state in
      let request = Waiter(id: 0, bytes: bytes, isBackground: isBackground) { _ in }
      let isFirst = !state.waiters.contains { $0.isBackground == isBackground }
      guard isFirst, fits(request, state) else { return false }
      take(request, &state)
      return true
    }
  }

  /// Reserves bytes and calls `completion` once: at once, when they are available, or at the
  /// deadline.
  func reserve(
    _ bytes: Int, isBackground: Bool, until deadline: ContinuousClock.Instant,
    completion: @escaping @Sendable (Bool) -> Void
  ) {
    guard bytes <= maxBytes(isBackground: isBackground) else { return completion(false) }
    let waitingID: UInt64? = state.withLock { state in
      state.lastID += 1
      let waiter = Waiter(
        id: state.lastID, bytes: bytes, isBackground: isBackground, completion: completion)
      let isFirst = !state.waiters.contains { $0.isBackground == isBackground }
      if isFirst, fits(waiter, state) {
        take(waiter, &state)
        return nil
      }
      state.waiters.append(waiter)
      return waiter.id
    }
    guard let waitingID else { return completion(true) }
    let milliseconds = max(0, ContinuousClock.now.duration(to: deadline).wholeMilliseconds)
    timers.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
      self?.abandon(waitingID)
    }
  }

  /// Ends the wait for a reservation that has not been served.
  private func abandon(_ id: UInt64) {
    let (abandoned, served): (Waiter?, [Waiter]) = state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return (nil, []) }
      return (state.waiters.remove(at: index), serveWaiters(&state))
    }
    abandoned?.completion(false)
    for waiter in served { waiter.completion(true) }
  }

  /// Releases reserved bytes.
  func release(_ bytes: Int, isBackground: Bool) {
    let served = state.withLock { state in
      state.usedBytes -= bytes
      if isBackground { state.backgroundBytes -= bytes }
      return serveWaiters(&state)
    }
    for waiter in served { waiter.completion(true) }
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

  /// Removes and returns the first waiters of both kinds, foreground first, as long as they fit.
  private func serveWaiters(_ state: inout State) -> [Waiter] {
    var served: [Waiter] = []
    for isBackground in [false, true] {
      while let index = state.waiters.firstIndex(where: { $0.isBackground == isBackground }),
        fits(state.waiters[index], state)
      {
        let waiter = state.waiters.remove(at: index)
        take(waiter, &state)
        served.append(waiter)
      }
    }
    return served
  }
}
