package import TensorIOBundle
package import TensorIOCore

/// A task that runs a model several times for a result, such as once for each sentence.
package protocol RepeatingTask: ModelTask {
  /// Returns what runs the model.
  static func makeRunner(
    repeating run: @escaping ModelRun, _ info: ModelInfo
  ) throws(ModelError) -> any ModelRunner
}
