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

  /// The outputs averaged over data, with the weights as they are.
  ///
  /// A list of an output's numbers, one for each item, counts as a number for each.
  public func evaluate(
    _ data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> Averages {
    try await WorkThread.perform { () throws(ModelError) in
      try self.evaluate(data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }

  /// The outputs averaged over some items.
  func evaluate(
    _ data: any BatchSource, at places: [Int], batchSize: Int, loss: String?
  ) throws(ModelError) -> Averages {
    try evaluating().averages(data, at: places, batchSize: batchSize, loss: loss)
  }
}

extension Model {
  /// The outputs averaged over data, such as the loss of a model that is opened to be evaluated.
  ///
  ///     let model = try Model(bundleAt: path, options: Model.Options(mode: .evaluate))
  ///     let averages = try await model.evaluate(data)
  public func evaluate(
    _ data: some BatchSource, batchSize: Int = 32, loss: String? = nil
  ) async throws(ModelError) -> Averages {
    try await WorkThread.perform { () throws(ModelError) in
      try averages(data, at: Array(0..<data.count), batchSize: batchSize, loss: loss)
    }
  }

  /// The outputs averaged over some items.
  func averages(
    _ data: any BatchSource, at places: [Int], batchSize: Int, loss: String?
  ) throws(ModelError) -> Averages {
    guard batchSize > 0 else {
      throw ModelError(.input, .unsupported("a batch size of \(batchSize)"))
    }
    var means = RunningMeans()
    for start in stride(from: 0, to: places.count, by: batchSize) {
      let part = Array(places[start..<min(start + batchSize, places.count)])
      let batch = try data.batch(at: part)
      do throws(ModelError) {
        means.add(try run(batch), items: batch.count)
      } catch {
        throw error.inSource(part)
      }
    }
    let name = loss ?? description.lossName
    return Averages(
      loss: name.flatMap { means.means[$0] }, values: means.means, items: means.items)
  }
}
