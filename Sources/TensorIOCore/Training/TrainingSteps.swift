/// The steps of a training, of which each is taken when it is asked for.
public struct TrainingSteps: AsyncSequence, Sendable {
  /// One step.
  public typealias Element = TrainingStep
  /// What ends a training before its time.
  public typealias Failure = ModelError

  let trainer: Trainer
  let data: any BatchSource

  /// A training of its own, from the beginning or from a checkpoint.
  public func makeAsyncIterator() -> Iterator { Iterator(trainer, data) }

  /// Takes one step after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let start: @Sendable () throws(ModelError) -> TrainingRun
    private var run: TrainingRun?
    private var isOver = false

    init(_ trainer: Trainer, _ data: any BatchSource) {
      start = { () throws(ModelError) in try TrainingRun(trainer, data) }
    }

    /// Takes the next step; `nil` when there is none.
    public mutating func next() async throws(ModelError) -> TrainingStep? {
      try await next(isolation: nil)
    }

    /// Takes the next step; `nil` when there is none.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(ModelError) -> TrainingStep? {
      guard !isOver else { return nil }
      isOver = true
      guard !Task.isCancelled else { throw ModelError(.run, .cancelled) }
      let start = start
      let run =
        if let run { run } else {
          try await WorkThread.perform { () throws(ModelError) in try start() }
        }
      self.run = run
      let step = try await run.next()
      isOver = step == nil
      return step
    }

    /// Writes a checkpoint of where the training stands after the last step, besides those that are
    /// due, so that whoever leaves can come back.
    ///
    /// Nothing is written without ``Trainer/Options/checkpoints``, or before the first step.
    public func saveCheckpoint() async throws(ModelError) {
      guard let run else { return }
      try await WorkThread.perform { () throws(ModelError) in try run.saveCheckpoint() }
    }
  }
}
