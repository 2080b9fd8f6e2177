package import TensorIOBundle

/// A task whose runs consist of many steps of a model, such as one for each token of a text.
package protocol SteppingTask: Sendable {
  /// Returns what runs the model.
  ///
  /// - Parameters:
  ///   - model: The model that is run step by step.
  ///   - info: The bundle's description.
  ///   - functions: The other models of the bundle, whose outputs the caches may take.
  /// - Returns: The runner; `nil` for a task without steps.
  /// - Throws: A ``ModelError`` if the bundle lacks what the task needs.
  func makeRunner(
    for model: any SteppableRuntimeModel, _ info: ModelInfo, _ functions: [String: Model]
  ) throws(ModelError) -> (any ModelRunner)?
}

extension ModelInfo {
  /// Returns what runs a model with caches.
  ///
  /// - Throws: A ``ModelError`` if the runtime has no steps, or the bundle's task does not use them.
  func stepRunner(
    for model: any RuntimeModel, _ functions: [String: Model]
  ) throws(ModelError) -> any ModelRunner {
    guard let steps = model.abilities.steps else {
      throw ModelError(.runtime, .unsupported("caches in this runtime"))
    }
    let task = task?.format?.implementation as? any SteppingTask
    guard let runner = try task?.makeRunner(for: steps, self, functions) else {
      throw ModelError(
        .bundle, .unmetRequirement("a bundle with caches requires a task that uses them"))
    }
    return runner
  }
}
