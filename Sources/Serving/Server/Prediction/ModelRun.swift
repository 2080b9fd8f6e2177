package import TensorIOBundle
package import TensorIOCore

/// A run of a model on one input, for a handler that continues with its output.
///
/// Runs that wait for the same model may be merged into one invocation.
package struct ModelRun: Sendable {
  /// The result of a run.
  package typealias Output = Result<(output: ModelOutput, timings: Timings), ModelError>

  /// The copies of inputs that a run takes: of the item, for the worker process, and in its tensors.
  static let inputCopyCount = 3

  /// The model.
  package let served: ServedModel
  /// The input.
  package let input: ModelInput
  /// The handler's next step.
  package let complete: @Sendable (Output) -> HandlerStep

  /// Creates a run.
  package init(
    _ served: ServedModel, _ input: ModelInput,
    _ complete: @escaping @Sendable (Output) -> HandlerStep
  ) {
    (self.served, self.input, self.complete) = (served, input, complete)
  }

  /// Whether both runs use the same open model, which can process several inputs at once.
  func canMerge(with other: ModelRun) -> Bool {
    served.maxBatchSize > 1 && served === other.served
  }

  /// Runs the model and returns the handler's next step.
  func completedStep() -> HandlerStep { complete(served.run(input)) }

  /// Runs the model on the inputs of several runs of one model, and returns their next steps.
  static func completedSteps(_ runs: [ModelRun]) -> [HandlerStep] {
    guard runs.count > 1, let served = runs.first?.served else {
      return runs.map { $0.completedStep() }
    }
    return zip(runs, served.run(merging: runs.map(\.input))).map { $0.complete($1) }
  }
}
