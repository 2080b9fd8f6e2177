internal import TensorIOCore
internal import TensorIOData

/// What came of the steps of a training.
struct TrainingOutcome: Sendable {
  var log = TrainingLog()
  /// How many steps were taken, and the number of the last.
  var steps = 0
  var lastStep = 0
  var endedEarly = false
  var wasInterrupted = false
}

/// A training at work, told step by step.
struct TrainingTask: Sendable {
  let trainer: Trainer
  let data: DataSet
  let reporter: TrainingReporter
  /// Whether the user wants it to end.
  let isInterrupted: @Sendable () -> Bool

  /// Takes all steps, or as many as the user has patience for.
  func run() throws(ModelError) -> TrainingOutcome {
    try Waiting.result { () async -> Result<TrainingOutcome, ModelError> in
      do throws(ModelError) {
        return .success(try await train())
      } catch {
        return .failure(error)
      }
    }
  }

  private func train() async throws(ModelError) -> TrainingOutcome {
    var outcome = TrainingOutcome()
    var progress: Progress?
    var steps = trainer.train(data).makeAsyncIterator()
    while let step = try await steps.next() {
      var current = progress ?? Progress(of: step.stepsLeft(trainer.options), reporter.console)
      current.advance(reporter.state(of: step))
      if step.epochEnd != nil { current.finish() }
      progress = current
      tell(step, &outcome)
      guard !isInterrupted() else {
        outcome.wasInterrupted = true
        try await steps.saveCheckpoint()
        break
      }
    }
    progress?.finish()
    return outcome
  }

  private func tell(_ step: TrainingStep, _ outcome: inout TrainingOutcome) {
    outcome.steps += 1
    outcome.lastStep = step.step
    if let loss = step.loss { outcome.log.add(loss, at: step.epochsOver) }
    reporter.write(step)
    guard let end = step.epochEnd else { return }
    let record = EpochRecord(end)
    outcome.log.add(record)
    outcome.endedEarly = end.endsEarly
    reporter.write(record)
  }
}

extension TrainingStep {
  /// How many steps there are from this one on.
  fileprivate func stepsLeft(_ options: Trainer.Options) -> Int {
    let (all, overflow) = options.epochs.multipliedReportingOverflow(by: position.stepsPerEpoch)
    return overflow ? .max : all - step + 1
  }

  /// How many epochs were over after the step.
  fileprivate var epochsOver: Double { Double(step) / Double(max(1, position.stepsPerEpoch)) }
}
