import TensorIOBundle
import TensorIOCore

/// The caches in a worker process, which a sequence and its forks use in turn.
///
/// They hold the tokens of the sequence that has run last. Another one first runs the tokens in which it differs.
final class WorkerCaches {
  /// What a function has computed for the caches.
  final class Given: Sendable {
    let values: [String: Tensor]

    init(_ values: [String: Tensor]) { self.values = values }
  }

  private let model: IsolatedModel
  /// The process; `nil` after it has terminated.
  private(set) var worker: WorkerClient?
  /// The tokens in the caches.
  var tokens: [Int32] = []
  /// What the caches hold besides tokens.
  var given: Given?
  /// The memory that the process writes scores to.
  var scores: SharedMemory?

  /// Creates the caches of a process, which have no tokens.
  init(_ worker: WorkerClient, of model: IsolatedModel) {
    (self.worker, self.model) = (worker, model)
  }

  deinit { if let worker { model.reuse(worker) } }

  /// Sets the process, whose caches have no tokens; `nil` after it has terminated.
  func replaceWorker(_ worker: WorkerClient?) {
    (self.worker, tokens, given, scores) = (worker, [], nil, nil)
  }
}
