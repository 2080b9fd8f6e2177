import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOSystem

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
  private typealias Waiting = WaitQueue<Continuation>

  private struct State {
    var freeSlots: Int
    var waiting = Waiting()
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
    let ticket = Mutex<Waiting.Ticket?>(nil)
    let start = ContinuousClock.now
    let result: Result<Void, ModelError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let place = enqueue(continuation)
        ticket.withLock { $0 = place }
        if Task.isCancelled { cancelWaiter(place, .cancelled) }
      }
    } onCancel: {
      cancelWaiter(ticket.withLock(\.self), .cancelled)
    }
    try result.get()
    return Slot(of: self, waitingTime: ContinuousClock.now - start)
  }

  /// Resumes a caller that gets a slot; returns the place of one that waits.
  private func enqueue(_ continuation: Continuation) -> Waiting.Ticket? {
    let ticket: Waiting.Ticket? = state.withLock { state in
      guard state.freeSlots == 0 else {
        state.freeSlots -= 1
        return nil
      }
      return state.waiting.append(continuation)
    }
    if ticket == nil {
      continuation.resume(returning: .success(()))
    } else if let timeout {
      timers.asyncAfter(deadline: DispatchTime(after: timeout)) {
        self.cancelWaiter(ticket, .timedOut)
      }
    }
    return ticket
  }

  private func cancelWaiter(_ ticket: Waiting.Ticket?, _ reason: ModelError.Reason) {
    guard let ticket else { return }
    let continuation = state.withLock { $0.waiting.remove(ticket) }
    continuation?.resume(returning: .failure(ModelError(.run, reason)))
  }

  private func releaseSlot() {
    let next = state.withLock { state -> Continuation? in
      let next = state.waiting.popFirst()
      if next == nil { state.freeSlots += 1 }
      return next
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
