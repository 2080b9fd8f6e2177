import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A training in progress, which prepares the next step while the current one runs.
///
/// One step is requested at a time. All work runs on background threads.
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
    /// The prepared or partially prepared next step.
    var prefetch: Prefetch?
    /// The time to fill a step's tensors.
    var fillDuration = RecentDuration()
    /// The time to perform a step.
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
    let configuration = TrainingConfiguration(options, itemCount: data.count)
    store = try options.checkpoints.map { (checkpoints) throws(ModelError) in
      try CheckpointStore(checkpoints, configuration)
    }
    let resumed = try store?.resume(trainer.model)
    state = Mutex(State(progress: resumed ?? TrainingProgress()))
    slots = try [trainer.model.makePrefetchSlot(), trainer.model.makePrefetchSlot()]
    lossName = try trainer.model.description.lossName(requested: options.lossOutput)
  }

  /// Performs the next step; `nil` if the training has ended.
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

  /// The longest time to fill tensors on the same thread as the step.
  ///
  /// Below it, waking another thread and sharing the processors takes longer.
  private static let maxInlineFillTime = Duration.microseconds(300)
  /// The longest time to perform a step and fill the next one directly in the requesting task.
  ///
  /// Below it, other tasks are delayed no more than by ordinary Swift code.
  private static let maxInlineStepTime = Duration.milliseconds(1)

  /// Whether a step is not followed by long work, such as a validation or a checkpoint.
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

  private func storePrefetch(_ prefetch: Prefetch) {
    state.withLock { $0.prefetch = prefetch }
  }

  private func takePrefetch() -> Prefetch? {
    state.withLock { state in
      defer { state.prefetch = nil }
      return state.prefetch
    }
  }
}

/// The recent durations of a repeated operation.
private struct RecentDuration {
  private var times = (Duration.seconds(1), Duration.seconds(1))

  /// The shorter of the last two durations, since other activity on the machine may prolong one.
  var time: Duration { min(times.0, times.1) }

  mutating func record(_ time: Duration) { times = (times.1, time) }
}

/// The filled tensors of a step, or the task that fills them.
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
  /// Writes a checkpoint of the current progress.
  func saveCheckpoint() throws(ModelError) {
    try store?.save(state.withLock { $0.progress }, of: trainer.model)
  }
}

// MARK: Planning steps

extension TrainingRun {
  /// A planned step.
  struct StepPlan: Sendable {
    let position: TrainingPosition
    let items: ArraySlice<Int>
    let slot: Int
  }

  private var batchSize: Int { trainer.options.batchSize }

  private var stepsPerEpoch: Int {
    let (full, rest) = order.training.count.quotientAndRemainder(dividingBy: batchSize)
    // Too few items for a fixed batch are an error only if there are no others.
    let keepsRest = trainer.model.hasFixedBatch ? full == 0 : trainer.options.keepsLastBatch
    return full + (rest > 0 && keepsRest ? 1 : 0)
  }

  /// Returns the step `count` steps after the last completed one; `nil` if there is none.
  private func stepPlan(after count: Int) -> StepPlan? {
    let perEpoch = stepsPerEpoch
    return state.withLock { state in
      let completed = state.progress.step + count
      let patience = trainer.options.earlyStoppingPatience
      guard perEpoch > 0, !state.progress.shouldStop(patience: patience) else { return nil }
      let (epoch, position) = completed.quotientAndRemainder(dividingBy: perEpoch)
      guard epoch < trainer.options.epochs else { return nil }
      if state.itemsEpoch != epoch {
        (state.items, state.itemsEpoch) = (order.items(ofEpoch: epoch), epoch)
      }
      return StepPlan(
        position: TrainingPosition(
          step: completed + 1, epoch: epoch + 1, stepInEpoch: position + 1,
          stepsPerEpoch: perEpoch),
        items: state.items.dropFirst(position * batchSize).prefix(batchSize),
        slot: completed % 2)
    }
  }

  /// Creates the items of a step and writes them into tensors, on a background thread.
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

// MARK: Performing steps

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
      over: data, at: order.validation, batchSize: batchSize,
      loss: trainer.options.lossOutput.flatMap { names.contains($0) ? $0 : nil })
  }
}

extension TrainingPosition {
  /// Whether this is the last step of its epoch.
  fileprivate var isLastOfEpoch: Bool { stepInEpoch == stepsPerEpoch }
}

extension ModelOutput {
  /// The mean of an output that is a number, or a list with one number per item.
  fileprivate func mean(of name: String) -> Double? {
    layers.first { $0.name == name }?.value.mean
  }
}

extension ModelError {
  /// Returns the error of a batch's item with the item's index in the source.
  func withSourceIndex(in indices: ArraySlice<Int>) -> ModelError {
    guard let item, let index = indices.dropFirst(item).first else { return self }
    var error = self
    error.item = index
    return error
  }
}

extension Trainer.Options {
  private var hasLoss: Bool { outputTiming != .never || validationFraction > 0 }

  /// Throws if an option has an invalid value.
  fileprivate func validate() throws(ModelError) {
    let patience = earlyStoppingPatience
    let invalidOptions = [
      (batchSize < 1, "a batch size of \(batchSize)"), (epochs < 0, "\(epochs) epochs"),
      (!(0..<1).contains(validationFraction), "a validation fraction of \(validationFraction)"),
      (patience.map { $0 < 1 } ?? false, "early stopping after \(patience ?? 0) epochs"),
      (patience != nil && !hasLoss, "early stopping without a loss"),
    ]
    if let (_, option) = invalidOptions.first(where: \.0) {
      throw ModelError(.input, .unsupported(option))
    }
  }
}

/// One of two sessions that alternate: while one is trained, the tensors of the other are filled.
final class PrefetchSlot: Sendable {
  private let model: TrainableModel
  private let session: any Session

  init(_ model: TrainableModel, _ session: any Session) {
    self.model = model
    self.session = session
  }

  /// A step whose tensors have been filled.
  struct PrefetchedStep: Sendable {
    fileprivate let slot: PrefetchSlot
    let position: TrainingPosition
    let itemCount: Int

    /// Performs the step.
    func run(
      _ moment: StepOutputTiming
    ) throws(ModelError) -> (outputs: ModelOutput, duration: Duration) {
      let start = ContinuousClock.now
      let outputs = try slot.model.step(slot.session, items: itemCount, moment)
      return (outputs, ContinuousClock.now - start)
    }
  }

  /// Writes a batch into the tensors of the session.
  func fill(
    _ batch: Batch, _ placeholders: Placeholders, _ position: TrainingPosition
  ) throws(ModelError) -> PrefetchedStep {
    try model.batchCodec.encode(batch, placeholders, into: session)
    return PrefetchedStep(slot: self, position: position, itemCount: batch.count)
  }
}

extension TrainableModel {
  /// Creates a slot with its own session for a trainer.
  func makePrefetchSlot() throws(ModelError) -> PrefetchSlot {
    let options = SessionOptions(threads: options.threads)
    return PrefetchSlot(self, try weights.model.makeTrainingSession(options))
  }
}
