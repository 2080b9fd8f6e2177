import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOData
import TensorIOTraining

/// What came of the steps of a training.
struct TrainingResult: Sendable {
  var history = TrainingHistory()
  /// How many steps were taken, and the number of the last.
  var steps = 0
  var lastStep = 0
  var stoppedEarly = false
  var wasInterrupted = false
}

/// A training at work, told step by step.
struct TrainingLoop: Sendable {
  let trainer: Trainer
  let data: ExampleDataset
  let reporter: TrainingReporter
  /// Whether the user wants it to end.
  let isInterrupted: @Sendable () -> Bool

  /// Takes all steps, or as many as the user has patience for.
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
    var outcome = TrainingResult()
    var progress: ProgressReporter?
    var steps = trainer.train(data).makeAsyncIterator()
    while let step = try await steps.next() {
      var current = progress ?? ProgressReporter(total: step.remainingSteps(trainer.options), reporter.console)
      current.advance(reporter.progressText(for: step))
      if step.epochSummary != nil { current.finish() }
      progress = current
      record(step, &outcome)
      guard !isInterrupted() else {
        outcome.wasInterrupted = true
        try await steps.saveCheckpoint()
        break
      }
    }
    progress?.finish()
    return outcome
  }

  private func record(_ step: TrainingStep, _ outcome: inout TrainingResult) {
    outcome.steps += 1
    outcome.lastStep = step.step
    if let loss = step.loss { outcome.history.add(loss, at: step.epochsCompleted) }
    reporter.write(step)
    guard let end = step.epochSummary else { return }
    let record = EpochRecord(end)
    outcome.history.add(record)
    outcome.stoppedEarly = end.stopsEarly
    reporter.write(record)
  }
}

extension TrainingStep {
  /// How many steps there are from this one on.
  fileprivate func remainingSteps(_ options: Trainer.Options) -> Int {
    let (all, overflow) = options.epochs.multipliedReportingOverflow(by: position.stepsPerEpoch)
    return overflow ? .max : all - step + 1
  }

  /// How many epochs were over after the step.
  fileprivate var epochsCompleted: Double { Double(step) / Double(max(1, position.stepsPerEpoch)) }
}

/// Waits in the calling thread, which is the command's own, for what is done in tasks.
enum BlockingTask {
  private final class ResultBox<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  /// What comes of a task.
  static func result<Value: Sendable, Failure: Error>(
    of body: @escaping @Sendable () async -> Result<Value, Failure>
  ) throws(Failure) -> Value {
    let place = ResultBox<Result<Value, Failure>>()
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let result = await body()
      place.value.withLock { $0 = result }
      isDone.signal()
    }
    while true {
      isDone.wait()
      if let result = place.value.withLock({ $0 }) { return try result.get() }
    }
  }
}
