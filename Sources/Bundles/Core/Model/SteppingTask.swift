package import TensorIOBundle

/// A single run of a model, which may be one of many for a result.
package typealias ModelRun = @Sendable (ModelInput) throws(ModelError) -> ModelOutput

/// A task whose runs consist of many steps of a model, such as one for each token of a text, or of many runs, such as one for each
/// sentence.
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

  /// Returns what runs the model several times.
  ///
  /// - Parameters:
  ///   - run: Runs the model once.
  ///   - info: The bundle's description.
  /// - Returns: The runner; `nil` for a task whose result is that of one run.
  /// - Throws: A ``ModelError`` if the bundle lacks what the task needs.
  func makeRunner(
    repeating run: @escaping ModelRun, _ info: ModelInfo
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
    guard let runner = try steppingTask?.makeRunner(for: steps, self, functions) else {
      throw ModelError(
        .bundle, .unmetRequirement("a bundle with caches requires a task that uses them"))
    }
    return runner
  }

  /// Returns what runs a model several times for a result; `nil` for a task whose result is that of one run.
  ///
  /// - Throws: A ``ModelError`` if the bundle lacks what the task needs.
  func repeatingRunner(for pipeline: InferencePipeline) throws(ModelError) -> (any ModelRunner)? {
    guard task?.format?.repeatsRuns == true else { return nil }
    return try steppingTask?.makeRunner(
      repeating: { (input) throws(ModelError) in
        var untimed = Stopwatch.disabled
        return try pipeline.run(input, [:], &untimed).from(self)
      }, self)
  }

  private var steppingTask: (any SteppingTask)? {
    task?.format?.implementation as? any SteppingTask
  }
}
