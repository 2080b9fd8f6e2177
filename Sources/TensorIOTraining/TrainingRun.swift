import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A training on its way: what comes next is prepared while a step is taken.
///
/// It is asked for one step at a time. All work is done in threads of its own.
final class TrainingRun: Sendable {
  private let trainer: Trainer
  private let data: any BatchSource
  private let order: TrainingOrder
  private let store: CheckpointStore?
  private let slots: [PrefetchSlot]
  private let lossName: String?
  private let state: Mutex<State>

  private struct State {
    var progress: TrainingProgress
    /// What has been begun of the next step.
    var prefetch: Prefetch?
    /// How long it takes to fill a step's tensors.
    var fillDuration = RecentDuration()
    /// How long a step takes.
    var stepDuration = RecentDuration()
    var items: [Int] = []
    var itemsEpoch = -1
  }

  init(_ trainer: Trainer, _ data: any BatchSource) throws(ModelError) {
    let options = trainer.options
    try options.validate()
    self.trainer = trainer
    self.data = data
    order = TrainingOrder(
      count: data.count, validationFraction: options.validationFraction, seed: options.seed,
      isShuffled: options.shuffles)
    let facts = TrainingConfiguration(options, itemCount: data.count)
    store = try options.checkpoints.map { (checkpoints) throws(ModelError) in
      try CheckpointStore(checkpoints, facts)
    }
    let resumed = try store?.resume(trainer.model)
    state = Mutex(State(progress: resumed ?? TrainingProgress()))
    slots = try [trainer.model.makePrefetchSlot(), trainer.model.makePrefetchSlot()]
    lossName = try trainer.model.description.lossName(requested: options.lossOutput)
  }

  /// Takes the next step; `nil` when the training is over.
  func next() async throws(ModelError) -> TrainingStep? {
    guard let plan = stepPlan(after: 0) else { return nil }
    let prepared = try await (takePrefetch() ?? prefetch(plan)).result().get()
    let following = self.stepPlan(after: 1)
    let (fillTime, stepTime) = state.withLock { ($0.fillDuration.time, $0.stepDuration.time) }
    if fillTime + stepTime < Self.maxInlineStepTime, hasNoEpochEndWork(prepared.position) {
      return try runStep(prepared, thenFill: following)
    }
    guard fillTime < Self.maxInlineFillTime else {
      if let following { storePrefetch(prefetch(following)) }
      return try await BackgroundThread.run { () throws(ModelError) in try self.runStep(prepared) }
    }
    return try await BackgroundThread.run { () throws(ModelError) in
      try self.runStep(prepared, thenFill: following)
    }
  }

  /// Tensors that are filled in less are filled along with the step: to wake a thread for them, and
  /// share the processors with it, takes longer.
  private static let maxInlineFillTime = Duration.microseconds(300)
  /// A step that takes less, with filling the next, is taken in the task that asks for it, which
  /// holds up others no more than any piece of Swift does.
  private static let maxInlineStepTime = Duration.milliseconds(1)

  /// Whether nothing comes with a step, such as a validation, that may take long.
  private func hasNoEpochEndWork(_ position: TrainingPosition) -> Bool {
    store == nil && (order.validation.isEmpty || !position.isLastOfEpoch)
  }

  private func runStep(
    _ prepared: PrefetchSlot.PrefetchedStep, thenFill following: StepPlan?
  ) throws(ModelError) -> TrainingStep {
    let step = try runStep(prepared)
    if let following {
      storePrefetch(.done(Result { () throws(ModelError) in try fill(following) }))
    }
    return step
  }

  private func storePrefetch(_ preparation: Prefetch) {
    state.withLock { $0.prefetch = preparation }
  }

  private func takePrefetch() -> Prefetch? {
    state.withLock { state in
      defer { state.prefetch = nil }
      return state.prefetch
    }
  }
}

/// How long something takes that is done again and again.
private struct RecentDuration {
  private var times = (Duration.seconds(1), Duration.seconds(1))

  /// The shorter of the last two times: whatever else the machine does may have made one longer.
  var time: Duration { min(times.0, times.1) }

  mutating func record(_ time: Duration) { times = (times.1, time) }
}

/// Tensors for a step, filled or about to be.
private enum Prefetch: Sendable {
  typealias Filled = Result<PrefetchSlot.PrefetchedStep, ModelError>

  case running(Task<Filled, Never>)
  case done(Filled)

  func result() async -> Filled {
    switch self {
    case .running(let task): await task.value
    case .done(let filled): filled
    }
  }
}

extension TrainingRun {
  /// Writes a checkpoint of where the training stands.
  func saveCheckpoint() throws(ModelError) {
    try store?.save(state.withLock { $0.progress }, of: trainer.model)
  }
}

// MARK: What comes next

extension TrainingRun {
  /// A step that will be taken.
  struct StepPlan: Sendable {
    let position: TrainingPosition
    let items: ArraySlice<Int>
    let slot: Int
  }

  private var batchSize: Int { trainer.options.batchSize }

  private var stepsPerEpoch: Int {
    let (whole, rest) = order.training.count.quotientAndRemainder(dividingBy: batchSize)
    return whole + (rest > 0 && trainer.options.keepsLastBatch ? 1 : 0)
  }

  /// The step that comes so many after those that are taken; `nil` when there is none.
  private func stepPlan(after count: Int) -> StepPlan? {
    let perEpoch = stepsPerEpoch
    return state.withLock { state in
      let taken = state.progress.step + count
      guard perEpoch > 0, !state.progress.shouldStop(patience: trainer.options.earlyStoppingPatience) else {
        return nil
      }
      let (epoch, position) = taken.quotientAndRemainder(dividingBy: perEpoch)
      guard epoch < trainer.options.epochs else { return nil }
      if state.itemsEpoch != epoch {
        (state.items, state.itemsEpoch) = (order.items(ofEpoch: epoch), epoch)
      }
      return StepPlan(
        position: TrainingPosition(
          step: taken + 1, epoch: epoch + 1, stepInEpoch: position + 1, stepsPerEpoch: perEpoch),
        items: state.items.dropFirst(position * batchSize).prefix(batchSize),
        slot: taken % 2)
    }
  }

  /// Makes the items of a step and writes them into tensors, in a thread of its own.
  private func prefetch(_ plan: StepPlan) -> Prefetch {
    .running(
      Task {
        do throws(ModelError) {
          return .success(
            try await BackgroundThread.run { () throws(ModelError) in try self.fill(plan) })
        } catch {
          return .failure(error)
        }
      })
  }

  private func fill(_ plan: StepPlan) throws(ModelError) -> PrefetchSlot.PrefetchedStep {
    let start = ContinuousClock.now
    defer {
      let time = ContinuousClock.now - start
      state.withLock { $0.fillDuration.record(time) }
    }
    let batch = try data.batch(at: plan.items)
    var placeholders = trainer.options.placeholders
    if let scheduled = trainer.options.placeholderSchedule?(plan.position) {
      placeholders.values.merge(scheduled.values) { _, scheduled in scheduled }
    }
    do throws(ModelError) {
      return try slots[plan.slot].fill(batch, placeholders, plan.position)
    } catch {
      throw error.withSourceIndex(in: plan.items)
    }
  }
}

// MARK: Taking a step

extension TrainingRun {
  private func runStep(_ prepared: PrefetchSlot.PrefetchedStep) throws(ModelError) -> TrainingStep {
    let (outputs, duration) = try prepared.run(trainer.options.outputTiming)
    let position = prepared.position
    let loss = lossName.flatMap { outputs.mean(of: $0) }
    if let loss, !loss.isFinite {
      throw ModelError(.run, .lossNotFinite(step: position.step, value: "\(loss)"))
    }
    state.withLock { state in
      state.progress.add(outputs, items: prepared.itemCount, at: position)
      state.stepDuration.record(duration)
    }
    let end = position.isLastOfEpoch ? try endEpoch(position.epoch) : nil
    try store?.write(state.withLock { $0.progress }, of: trainer.model, after: position)
    return TrainingStep(
      step: position.step, epoch: position.epoch, position: position, loss: loss,
      outputs: outputs, itemCount: prepared.itemCount, duration: duration, epochSummary: end)
  }

  private func endEpoch(_ epoch: Int) throws(ModelError) -> EpochSummary {
    var progress = state.withLock { $0.progress }
    let metrics = progress.means.means
    let loss = lossName.flatMap { metrics[$0] }
    let validation = try validate()
    if let loss = validation?.loss, !loss.isFinite {
      throw ModelError(.run, .lossNotFinite(step: progress.step, value: "\(loss)"))
    }
    let isBest = progress.endEpoch(monitored: validation?.loss ?? loss)
    state.withLock { $0.progress = progress }
    return EpochSummary(
      epoch: epoch, loss: loss, metrics: metrics, validation: validation, isBest: isBest,
      stopsEarly: progress.shouldStop(patience: trainer.options.earlyStoppingPatience))
  }

  private func validate() throws(ModelError) -> AveragedOutputs? {
    guard !order.validation.isEmpty else { return nil }
    let evaluator = try trainer.model.evaluationModel()
    let names = evaluator.outputs.map(\.name)
    return try evaluator.averages(
      data, at: order.validation, batchSize: batchSize,
      loss: trainer.options.lossOutput.flatMap { names.contains($0) ? $0 : nil })
  }
}

extension TrainingPosition {
  /// Whether the epoch ends with this step.
  fileprivate var isLastOfEpoch: Bool { stepInEpoch == stepsPerEpoch }
}

extension ModelOutput {
  /// The mean of an output that is a number, or a number for each item.
  fileprivate func mean(of name: String) -> Double? {
    layers.first { $0.name == name }?.value.mean
  }
}

extension ModelError {
  /// The error of an item of a batch, told of its place in the source.
  func withSourceIndex(in places: ArraySlice<Int>) -> ModelError {
    guard let item, let place = places.dropFirst(item).first else { return self }
    var error = self
    error.item = place
    return error
  }
}

extension Trainer.Options {
  private var hasLoss: Bool { outputTiming != .never || validationFraction > 0 }

  /// Refuses numbers that make no training.
  fileprivate func validate() throws(ModelError) {
    let faults = [
      (batchSize < 1, "a batch size of \(batchSize)"), (epochs < 0, "\(epochs) epochs"),
      (!(0..<1).contains(validationFraction), "a validation part of \(validationFraction)"),
      (earlyStoppingPatience.map { $0 < 1 } ?? false, "a patience of \(earlyStoppingPatience ?? 0)"),
      (earlyStoppingPatience != nil && !hasLoss, "patience without a loss"),
    ]
    if let fault = faults.first(where: \.0) {
      throw ModelError(.input, .unsupported(fault.1))
    }
  }
}

/// One of the sessions through which steps go in turn: while one is trained, the other is filled.
final class PrefetchSlot: Sendable {
  private let model: TrainableModel
  private let session: any TrainingSession

  init(_ model: TrainableModel, _ session: any TrainingSession) {
    self.model = model
    self.session = session
  }

  /// Tensors that are filled for a step.
  struct PrefetchedStep: Sendable {
    fileprivate let slot: PrefetchSlot
    let position: TrainingPosition
    let itemCount: Int

    /// Takes the step.
    func run(
      _ moment: StepOutputTiming
    ) throws(ModelError) -> (outputs: ModelOutput, duration: Duration) {
      let start = ContinuousClock.now
      let outputs = try slot.model.step(slot.session, items: itemCount, moment)
      return (outputs, ContinuousClock.now - start)
    }
  }

  /// Writes a batch into the tensors.
  func fill(
    _ batch: Batch, _ placeholders: Placeholders, _ position: TrainingPosition
  ) throws(ModelError) -> PrefetchedStep {
    try model.batchCodec.encode(batch, placeholders, into: session)
    return PrefetchedStep(slot: self, position: position, itemCount: batch.count)
  }
}

extension TrainableModel {
  /// A session of its own for a trainer.
  func makePrefetchSlot() throws(ModelError) -> PrefetchSlot {
    let options = SessionOptions(threads: options.threads)
    return PrefetchSlot(self, try weights.model.makeTrainingSession(options))
  }
}
