import Dispatch
import Synchronization
import TensorIOBundle

/// Cancels the calls of a session, also from other threads than the one that makes them.
final class WorkerCancellation: Sendable {
  /// Whether calls end early, and the worker process during a call.
  private let state = Mutex((isCancelled: false, worker: WorkerClient?.none))

  /// The time in seconds that a canceled call has to complete.
  ///
  /// Launching a worker process and loading the model again takes longer than most calls.
  private static let grace = 1.0

  /// Calls `body`, which makes a call of the worker process, unless calls are canceled.
  func withCancellation<Value>(
    of worker: WorkerClient, _ body: () throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let isCancelled = state.withLock { state in
      state.worker = worker
      return state.isCancelled
    }
    defer { state.withLock { $0.worker = nil } }
    guard !isCancelled else { throw ModelError(.run, .cancelled) }
    return try body()
  }

  func setCancelled(_ isCancelled: Bool) {
    let worker = state.withLock { state in
      state.isCancelled = isCancelled
      return state.worker
    }
    guard isCancelled, let worker else { return }
    let queue = DispatchQueue(label: "tensorio.cancellation")
    queue.asyncAfter(deadline: .now() + Self.grace) { [weak self] in
      self?.state.withLock { state in
        if state.isCancelled, state.worker === worker { worker.cancel() }
      }
    }
  }
}
