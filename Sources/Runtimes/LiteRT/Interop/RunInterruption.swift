import CLiteRT
import Synchronization
import TensorIOBundle

/// Why a run of a compiled model has to end early.
///
/// LiteRT ignores errors of custom operators, so their errors are kept here until the run has ended.
@safe final class RunInterruption: Sendable {
  private let failure = Mutex<ModelError?>(nil)
  private let hasFailed = Atomic(false)
  private let cancelled = Atomic(false)

  /// Whether the run has to end.
  var isInterrupted: Bool { hasFailed.load(ordering: .relaxed) || isCancelled }

  /// Whether runs end as soon as possible.
  private var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// Sets whether runs end as soon as possible.
  func setCancelled(_ isCancelled: Bool) { cancelled.store(isCancelled, ordering: .relaxed) }

  /// Ends the run with an error, unless there is an earlier one.
  func fail(_ error: ModelError) {
    failure.withLock { failure in if failure == nil { failure = error } }
    hasFailed.store(true, ordering: .relaxed)
  }

  /// Throws the error of an operator that ended the run, and prepares for the next one.
  func rethrow() throws(ModelError) {
    guard hasFailed.load(ordering: .relaxed) else { return }
    hasFailed.store(false, ordering: .relaxed)
    let error = failure.withLock { failure in
      defer { failure = nil }
      return failure
    }
    if let error { throw error }
  }

  /// Makes LiteRT ask before each node whether the run has to end.
  ///
  /// This value must outlive the compiled model.
  func attach(to compiled: CompiledGraph) throws(ModelError) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    try checkStatus(
      unsafe compiled.graph.functions.pointee.LiteRtSetCompiledModelCancellationFunction(
        compiled.handle, context
      ) { context in
        guard let context = unsafe context else { return false }
        return unsafe Unmanaged<RunInterruption>.fromOpaque(context).takeUnretainedValue()
          .isInterrupted
      }, from: "LiteRtSetCompiledModelCancellationFunction")
  }
}
