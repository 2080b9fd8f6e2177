import Dispatch
import Synchronization
import TensorIOBundle

/// A limit on the number of images that asynchronous runs decode at the same time, granted first
/// come, first served.
final class DecodeLimiter: Sendable {
  /// Permission to decode an image.
  final class Slot: Sendable {
    /// How long the caller waited for the slot.
    let waitingTime: Duration
    private let limiter: DecodeLimiter
    private let isHeld = Atomic(true)

    fileprivate init(of limiter: DecodeLimiter, waitingTime: Duration) {
      self.limiter = limiter
      self.waitingTime = waitingTime
    }

    /// Gives the slot to the next caller in the queue; only the first call has an effect.
    func release() {
      guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
      limiter.releaseSlot()
    }
  }

  private typealias Continuation = CheckedContinuation<Result<Void, ModelError>, Never>
  private final class WaiterID: Sendable {}

  private struct State {
    var freeSlots: Int
    var waiting: [(id: WaiterID, continuation: Continuation)] = []
  }

  private let state: Mutex<State>
  private let timeout: Duration?
  private let timers = DispatchQueue(label: "tensorio.decode-timers")

  /// Creates a limiter with at least one slot.
  ///
  /// - Parameters:
  ///   - capacity: The number of slots.
  ///   - timeout: How long a caller waits for a slot; `nil` waits without limit.
  init(capacity: Int, timeout: Duration? = nil) {
    state = Mutex(State(freeSlots: max(1, capacity)))
    self.timeout = timeout
  }

  /// The number of tasks that are waiting for a slot.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Suspends until a slot is free.
  ///
  /// - Returns: The slot, which the caller has to release.
  /// - Throws: ``ModelError/cancelled`` if the task is canceled while it waits, and
  ///   ``ModelError/timedOut`` if no slot becomes free in time.
  func acquireSlot() async throws(ModelError) -> Slot {
    let id = WaiterID()
    let start = ContinuousClock.now
    let result: Result<Void, ModelError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enqueue(id, continuation)
        if Task.isCancelled { cancelWaiter(id, .cancelled) }
      }
    } onCancel: {
      cancelWaiter(id, .cancelled)
    }
    try result.get()
    return Slot(of: self, waitingTime: ContinuousClock.now - start)
  }

  private func enqueue(_ id: WaiterID, _ continuation: Continuation) {
    let hasSlot = state.withLock { state in
      guard state.freeSlots == 0 else {
        state.freeSlots -= 1
        return true
      }
      state.waiting.append((id, continuation))
      return false
    }
    if hasSlot {
      continuation.resume(returning: .success(()))
    } else if let timeout {
      timers.asyncAfter(deadline: DispatchTime(after: timeout)) {
        self.cancelWaiter(id, .timedOut)
      }
    }
  }

  private func cancelWaiter(_ id: WaiterID, _ reason: ModelError.Reason) {
    let continuation = state.withLock { state -> Continuation? in
      guard let index = state.waiting.firstIndex(where: { $0.id === id }) else { return nil }
      return state.waiting.remove(at: index).continuation
    }
    continuation?.resume(returning: .failure(ModelError(.run, reason)))
  }

  private func releaseSlot() {
    let next = state.withLock { state -> Continuation? in
      guard !state.waiting.isEmpty else {
        state.freeSlots += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: .success(()))
  }
}

extension DispatchTime {
  /// About thirty years in microseconds; longer durations are clamped, as `DispatchTime` overflows.
  private static let maxMicroseconds = 1e15

  /// Creates the time at which a timeout ends, for a caller that has used a part of it already.
  init(after timeout: Duration, alreadyWaited waited: Duration = .zero) {
    let milliseconds = timeout.milliseconds - waited.milliseconds
    let microseconds = min(max(0, milliseconds * 1000), Self.maxMicroseconds)
    self = .now() + .microseconds(Int(microseconds))
  }
}
