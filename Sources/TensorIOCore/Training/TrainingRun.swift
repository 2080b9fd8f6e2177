internal import Synchronization

/// A training on its way: what comes next is prepared while a step is taken.
///
/// It is asked for one step at a time. All work is done in threads of its own.
final class TrainingRun: Sendable {
  private let trainer: Trainer
  private let data: any BatchSource
  private let order: TrainingOrder
  private let store: CheckpointStore?
  private let lanes: [TrainingLane]
  private let lossName: String?
  private let state: Mutex<State>

  private struct State {
    var progress: TrainingProgress
    /// What has been begun of the next step.
    var preparation: Preparation?
    /// How long it takes to fill a step's tensors.
    var filling = Pace()
    /// How long a step takes.
    var stepping = Pace()
    var items: [Int] = []
    var itemsEpoch = -1
  }

  init(_ trainer: Trainer, _ data: any BatchSource) throws(ModelError) {
    let options = trainer.options
    try options.check()
    self.trainer = trainer
    self.data = data
    order = TrainingOrder(
      count: data.count, validationFraction: options.validationFraction, seed: options.seed,
      isShuffled: options.shuffles)
    let facts = TrainingFacts(options, count: data.count)
    store = try options.checkpoints.map { (checkpoints) throws(ModelError) in
      try CheckpointStore(checkpoints, facts)
    }
    let resumed = try store?.resume(trainer.model)
    state = Mutex(State(progress: resumed ?? TrainingProgress()))
    lanes = try [trainer.model.makeLane(), trainer.model.makeLane()]
    lossName = try trainer.model.description.lossName(options.loss)
  }

  /// Takes the next step; `nil` when the training is over.
  func next() async throws(ModelError) -> TrainingStep? {
    guard let plan = plan(after: 0) else { return nil }
    let prepared = try await (takePreparation() ?? prepare(plan)).result().get()
    let following = self.plan(after: 1)
    let (fillTime, stepTime) = state.withLock { ($0.filling.time, $0.stepping.time) }
    if fillTime + stepTime < Self.bearableTime, isOnlyAStep(prepared.position) {
      return try take(prepared, thenFill: following)
    }
    guard fillTime < Self.shortTime else {
      if let following { keep(prepare(following)) }
      return try await WorkThread.perform { () throws(ModelError) in try self.take(prepared) }
    }
    return try await WorkThread.perform { () throws(ModelError) in
      try self.take(prepared, thenFill: following)
    }
  }

  /// Tensors that are filled in less are filled along with the step: to wake a thread for them, and
  /// share the processors with it, takes longer.
  private static let shortTime = Duration.microseconds(300)
  /// A step that takes less, with filling the next, is taken in the task that asks for it, which
  /// holds up others no more than any piece of Swift does.
  private static let bearableTime = Duration.milliseconds(1)

  /// Whether nothing comes with a step, such as a validation, that may take long.
  private func isOnlyAStep(_ position: TrainingPosition) -> Bool {
    store == nil && (order.validation.isEmpty || !position.isLastOfEpoch)
  }

  private func take(
    _ prepared: TrainingLane.Prepared, thenFill following: Plan?
  ) throws(ModelError) -> TrainingStep {
    let step = try take(prepared)
    if let following {
      keep(.done(Result { () throws(ModelError) in try fill(following) }))
    }
    return step
  }

  private func keep(_ preparation: Preparation) {
    state.withLock { $0.preparation = preparation }
  }

  private func takePreparation() -> Preparation? {
    state.withLock { state in
      defer { state.preparation = nil }
      return state.preparation
    }
  }
}

/// How long something takes that is done again and again.
private struct Pace {
  private var times = (Duration.seconds(1), Duration.seconds(1))

  /// The shorter of the last two times: whatever else the machine does may have made one longer.
  var time: Duration { min(times.0, times.1) }

  mutating func note(_ time: Duration) { times = (times.1, time) }
}

/// Tensors for a step, filled or about to be.
private enum Preparation: Sendable {
  typealias Filled = Result<TrainingLane.Prepared, ModelError>

  case underWay(Task<Filled, Never>)
  case done(Filled)

  func result() async -> Filled {
    switch self {
    case .underWay(let task): await task.value
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
  struct Plan: Sendable {
    let position: TrainingPosition
    let items: ArraySlice<Int>
    let lane: Int
  }

  private var batchSize: Int { trainer.options.batchSize }

  private var stepsPerEpoch: Int {
    let (whole, rest) = order.training.count.quotientAndRemainder(dividingBy: batchSize)
    return whole + (rest > 0 && trainer.options.keepsLastBatch ? 1 : 0)
  }

  /// The step that comes so many after those that are taken; `nil` when there is none.
  private func plan(after count: Int) -> Plan? {
    let perEpoch = stepsPerEpoch
    return state.withLock { state in
      let taken = state.progress.step + count
      guard perEpoch > 0, !state.progress.isOver(patience: trainer.options.patience) else {
        return nil
      }
      let (epoch, position) = taken.quotientAndRemainder(dividingBy: perEpoch)
      guard epoch < trainer.options.epochs else { return nil }
      if state.itemsEpoch != epoch {
        (state.items, state.itemsEpoch) = (order.items(ofEpoch: epoch), epoch)
      }
      return Plan(
        position: TrainingPosition(
          step: taken + 1, epoch: epoch + 1, stepOfEpoch: position + 1, stepsPerEpoch: perEpoch),
        items: state.items.dropFirst(position * batchSize).prefix(batchSize),
        lane: taken % 2)
    }
  }

  /// Makes the items of a step and writes them into tensors, in a thread of its own.
  private func prepare(_ plan: Plan) -> Preparation {
    .underWay(
      Task {
        do throws(ModelError) {
          return .success(
            try await WorkThread.perform { () throws(ModelError) in try self.fill(plan) })
        } catch {
          return .failure(error)
        }
      })
  }

  private func fill(_ plan: Plan) throws(ModelError) -> TrainingLane.Prepared {
    let start = ContinuousClock.now
    defer {
      let time = ContinuousClock.now - start
      state.withLock { $0.filling.note(time) }
    }
    let batch = try data.batch(at: plan.items)
    var placeholders = trainer.options.placeholders
    if let scheduled = trainer.options.schedule?(plan.position) {
      placeholders.values.merge(scheduled.values) { _, scheduled in scheduled }
    }
    do throws(ModelError) {
      return try lanes[plan.lane].fill(batch, placeholders, plan.position)
    } catch {
      throw error.inSource(plan.items)
    }
  }
}

// MARK: Taking a step

extension TrainingRun {
  private func take(_ prepared: TrainingLane.Prepared) throws(ModelError) -> TrainingStep {
    let (outputs, duration) = try prepared.take(trainer.options.moment)
    let position = prepared.position
    let loss = lossName.flatMap { outputs.mean(of: $0) }
    if let loss, !loss.isFinite {
      throw ModelError(.run, .lossNotFinite(step: position.step, value: "\(loss)"))
    }
    state.withLock { state in
      state.progress.add(outputs, items: prepared.items, at: position)
      state.stepping.note(duration)
    }
    let end = position.isLastOfEpoch ? try endEpoch(position.epoch) : nil
    try store?.write(state.withLock { $0.progress }, of: trainer.model, after: position)
    return TrainingStep(
      step: position.step, epoch: position.epoch, position: position, loss: loss,
      outputs: outputs, items: prepared.items, duration: duration, epochEnd: end)
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
      endsEarly: progress.isOver(patience: trainer.options.patience))
  }

  private func validate() throws(ModelError) -> Averages? {
    guard !order.validation.isEmpty else { return nil }
    let evaluator = try trainer.model.evaluating()
    let names = evaluator.outputs.map(\.name)
    return try evaluator.averages(
      data, at: order.validation, batchSize: batchSize,
      loss: trainer.options.loss.flatMap { names.contains($0) ? $0 : nil })
  }
}

extension TrainingPosition {
  /// Whether the epoch ends with this step.
  fileprivate var isLastOfEpoch: Bool { stepOfEpoch == stepsPerEpoch }
}

extension ModelOutput {
  /// The mean of an output that is a number, or a number for each item.
  fileprivate func mean(of name: String) -> Double? {
    layers.first { $0.name == name }?.value.mean
  }
}

extension ModelError {
  /// The error of an item of a batch, told of its place in the source.
  func inSource(_ places: ArraySlice<Int>) -> ModelError {
    guard let item, let place = places.dropFirst(item).first else { return self }
    var error = self
    error.item = place
    return error
  }
}

extension Trainer.Options {
  private var hasLoss: Bool { moment != .never || validationFraction > 0 }

  /// Refuses numbers that make no training.
  fileprivate func check() throws(ModelError) {
    let faults = [
      (batchSize < 1, "a batch size of \(batchSize)"), (epochs < 0, "\(epochs) epochs"),
      (!(0..<1).contains(validationFraction), "a validation part of \(validationFraction)"),
      (patience.map { $0 < 1 } ?? false, "a patience of \(patience ?? 0)"),
      (patience != nil && !hasLoss, "patience without a loss"),
    ]
    if let fault = faults.first(where: \.0) {
      throw ModelError(.input, .unsupported(fault.1))
    }
  }
}
