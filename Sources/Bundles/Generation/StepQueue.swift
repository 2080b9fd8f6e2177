import Dispatch
package import TensorIOBundle

/// Runs steps that take long on a background thread, so that none blocks a thread that tasks share.
package struct StepQueue: Sendable {
  private let queue = DispatchQueue(label: "tensorio.generation")

  /// Creates a queue, which runs one step at a time.
  package init() {}

  /// Returns the result of a step.
  ///
  /// - Parameters:
  ///   - step: Runs on the background thread.
  ///   - cancel: Ends the step when the task is canceled.
  /// - Returns: The result.
  /// - Throws: The error of the step.
  package func run<Value: Sendable>(
    _ step: @escaping @Sendable () throws(ModelError) -> Value,
    onCancel cancel: @Sendable () -> Void
  ) async throws(ModelError) -> Value {
    let queue = queue
    let result: Result<Value, ModelError> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: Result(catching: step)) }
      }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }
}
