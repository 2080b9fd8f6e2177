import TensorIOBundle
import TensorIOData
import TensorIOLibrary
import TensorIOSystem
import TensorIOTraining

/// The result of a training.
struct TrainingResult: Sendable {
  var history = TrainingHistory()
  /// The number of steps in this run.
  var steps = 0
  /// The number of the last step, including those of previous runs.
  var lastStep = 0
  var stoppedEarly = false
  var wasInterrupted = false
}

/// Runs a trainer, and reports each step and epoch.
struct TrainingLoop: Sendable {
  let trainer: Trainer
  let data: ExampleDataset
  let reporter: TrainingReporter
  /// Returns whether the user interrupted the training.
  let isInterrupted: @Sendable () -> Bool

  /// Trains until the last epoch, early stopping or an interrupt.
  func run() throws(ModelError) -> TrainingResult {
    try BlockingTask.result { () async -> Result<TrainingResult, ModelError> in
      do throws(ModelError) {
        return .success(try await train())
      } catch {
        return .failure(error)
      }
    }
  }

  private func train() async throws(ModelError) -> TrainingResult {
    var result = TrainingResult()
    var progress: ProgressReporter?
    var steps = trainer.train(data).makeAsyncIterator()
    while let step = try await steps.next() {
      var current =
        progress
        ?? ProgressReporter(total: step.remainingSteps(trainer.options), reporter.console)
      current.advance(reporter.progressText(for: step))
      if step.epochSummary != nil { current.finish() }
      progress = current
      record(step, &result)
      guard !isInterrupted() else {
        result.wasInterrupted = true
        try await steps.saveCheckpoint()
        break
      }
    }
    progress?.finish()
    return result
  }

  private func record(_ step: TrainingStep, _ result: inout TrainingResult) {
    result.steps += 1
    result.lastStep = step.step
    if let loss = step.loss { result.history.add(loss, at: step.epochsCompleted) }
    reporter.write(step)
    guard let summary = step.epochSummary else { return }
    let record = EpochRecord(summary)
    result.history.add(record)
    result.stoppedEarly = summary.stopsEarly
    reporter.write(record)
  }
}

extension TrainingStep {
  /// Returns the number of steps from this one to the last.
  fileprivate func remainingSteps(_ options: Trainer.Options) -> Int {
    let (total, overflow) = options.epochs.multipliedReportingOverflow(by: position.stepsPerEpoch)
    return overflow ? .max : total - step + 1
  }

  /// The number of epochs completed after the step, as a fraction.
  fileprivate var epochsCompleted: Double { Double(step) / Double(max(1, position.stepsPerEpoch)) }
}
