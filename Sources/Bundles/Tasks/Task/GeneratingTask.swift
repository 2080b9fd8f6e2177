package import TensorIOBundle
package import TensorIOCore

/// A task that runs a model with caches step by step.
package protocol GeneratingTask: ModelTask {
  /// Returns what runs the model.
  static func makeRunner(
    for model: any SteppableRuntimeModel, _ info: ModelInfo, _ functions: [String: Model]
  ) throws(ModelError) -> any ModelRunner
}
