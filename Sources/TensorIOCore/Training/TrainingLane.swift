/// One of the sessions through which steps go in turn: while one is trained, the other is filled.
final class TrainingLane: Sendable {
  private let model: TrainableModel
  private let session: any TrainingSession

  init(_ model: TrainableModel, _ session: any TrainingSession) {
    self.model = model
    self.session = session
  }

  /// Tensors that are filled for a step.
  struct Prepared: Sendable {
    fileprivate let lane: TrainingLane
    let position: TrainingPosition
    let items: Int

    /// Takes the step.
    func take(
      _ moment: OutputMoment
    ) throws(ModelError) -> (outputs: ModelOutput, duration: Duration) {
      let start = ContinuousClock.now
      let outputs = try lane.model.step(lane.session, items: items, moment)
      return (outputs, ContinuousClock.now - start)
    }
  }

  /// Writes a batch into the tensors.
  func fill(
    _ batch: Batch, _ placeholders: Placeholders, _ position: TrainingPosition
  ) throws(ModelError) -> Prepared {
    try model.plan.fill(batch, placeholders, into: session)
    return Prepared(lane: self, position: position, items: batch.count)
  }
}

extension TrainableModel {
  /// A session of its own for a trainer.
  func makeLane() throws(ModelError) -> TrainingLane {
    let options = SessionOptions(threads: options.threads)
    return TrainingLane(self, try weights.model.makeTrainingSession(options))
  }
}
