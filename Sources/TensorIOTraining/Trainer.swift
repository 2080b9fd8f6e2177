public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// Trains a model on data: epochs, batches, validation, checkpoints.
///
///     let trainer = Trainer(model, Trainer.Options(epochs: 5, batchSize: 32))
///     for try await step in trainer.train(pictures) {
///       print(step.step, step.loss ?? .nan)
///     }
///
/// While the model takes one step, the items of the next are made and written into tensors. A step
/// is taken when it is asked for: leaving the loop, or cancelling its task, ends the training
/// between two steps.
public struct Trainer: Sendable {
  /// The model that is trained.
  public let model: TrainableModel
  /// How it is trained.
  public var options: Options

  /// A trainer of a model.
  public init(_ model: TrainableModel, _ options: Options = Options()) {
    self.model = model
    self.options = options
  }

  /// The steps of the training, of which each is taken when it is asked for.
  public func train(_ data: some BatchSource) -> TrainingSteps {
    TrainingSteps(trainer: self, data: data)
  }
}

extension Trainer {
  /// How a model is trained.
  public struct Options: Sendable {
    /// How often every item is trained on.
    public var epochs: Int
    /// How many items a step takes.
    public var batchSize: Int
    /// Whether items come in another order in each epoch.
    public var shuffles: Bool
    /// What the order of items derives from.
    public var seed: UInt64
    /// Whether the items that are left at the end of an epoch and do not fill a batch are a batch
    /// too.
    public var keepsLastBatch: Bool
    /// Which part of the items is kept for validation and never trained on, from 0 to 1.
    public var validationFraction: Double
    /// After how many epochs without a lower loss the training ends, where it does; the loss is that
    /// of the validation where there is one.
    public var earlyStoppingPatience: Int?
    /// The values of placeholders, such as a learning rate.
    public var placeholders: Placeholders
    /// The values of placeholders for a step, in place of those for all.
    public var placeholderSchedule: (@Sendable (TrainingPosition) -> Placeholders)?
    /// When the outputs of a step are computed.
    public var outputTiming: StepOutputTiming
    /// The output that is the loss.
    ///
    /// By default it is the only one that is a single number, else the one whose name contains
    /// `loss`, else the first.
    public var lossOutput: String?
    /// Where and how often checkpoints are written.
    public var checkpoints: Checkpoints?

    /// The given options, and defaults for the others.
    public init(
      epochs: Int = 1, batchSize: Int = 32, shuffles: Bool = true, seed: UInt64 = 0,
      keepsLastBatch: Bool = true, validationFraction: Double = 0, earlyStoppingPatience: Int? = nil,
      placeholders: Placeholders = [:],
      placeholderSchedule: (@Sendable (TrainingPosition) -> Placeholders)? = nil,
      outputTiming: StepOutputTiming = .afterStep, lossOutput: String? = nil, checkpoints: Checkpoints? = nil
    ) {
      self.epochs = epochs
      self.batchSize = batchSize
      self.shuffles = shuffles
      self.seed = seed
      self.keepsLastBatch = keepsLastBatch
      self.validationFraction = validationFraction
      self.earlyStoppingPatience = earlyStoppingPatience
      self.placeholders = placeholders
      self.placeholderSchedule = placeholderSchedule
      self.outputTiming = outputTiming
      self.lossOutput = lossOutput
      self.checkpoints = checkpoints
    }
  }

  /// Where and how often checkpoints are written.
  ///
  /// Each is a folder `checkpoint-<step>` with the weights and a `training.json` that says where the
  /// training stood.
  public struct Checkpoints: Sendable, Hashable {
    /// How often one is written.
    public enum Interval: Sendable, Hashable {
      case steps(Int)
      case epochs(Int)
    }

    /// The folder that holds them.
    public var folder: String
    /// How often one is written.
    public var interval: Interval
    /// How many of the last are kept, besides the best.
    public var maxToKeep: Int
    /// Whether the training goes on from the newest that is whole, where there is one.
    public var resumes: Bool

    /// Checkpoints in a folder.
    public init(
      in folder: String, every interval: Interval = .epochs(1), maxToKeep kept: Int = 3,
      resuming resumes: Bool = false
    ) {
      self.folder = folder
      self.interval = interval
      self.maxToKeep = kept
      self.resumes = resumes
    }
  }
}

/// Where a training stands, before a step.
public struct TrainingPosition: Sendable, Hashable {
  /// The step, from 1, counted over all epochs.
  public var step: Int
  /// The epoch, from 1.
  public var epoch: Int
  /// The step of the epoch, from 1.
  public var stepInEpoch: Int
  /// How many steps an epoch has.
  public var stepsPerEpoch: Int
}

/// One step of training, taken.
public struct TrainingStep: Sendable {
  /// The step, from 1, counted over all epochs.
  public let step: Int
  /// The epoch, from 1.
  public let epoch: Int
  /// The step of the epoch, from 1, and how many there are.
  public let position: TrainingPosition
  /// The loss, where outputs are computed.
  public let loss: Double?
  /// All outputs.
  public let outputs: ModelOutput
  /// How many items the step took.
  public let itemCount: Int
  /// How long the step took, without waiting for its items.
  public let duration: Duration
  /// What came of the epoch, when the step was its last.
  public let epochSummary: EpochSummary?
}

/// What came of one epoch.
public struct EpochSummary: Sendable, Hashable {
  /// The epoch, from 1.
  public let epoch: Int
  /// The mean of the loss over all items, where outputs were computed.
  public let loss: Double?
  /// The means of all outputs that are numbers, over all items.
  public let metrics: [String: Double]
  /// The means over the items that are kept for validation, where there are any.
  public let validation: AveragedOutputs?
  /// Whether no epoch before had a lower loss.
  public let isBest: Bool
  /// Whether the training ends here because the loss falls no more.
  public let stopsEarly: Bool
}

/// The outputs of a model, averaged over data.
public struct AveragedOutputs: Sendable, Hashable {
  /// The loss.
  public let loss: Double?
  /// The means of all outputs that are numbers, by name.
  public let means: [String: Double]
  /// How many items there were.
  public let itemCount: Int
}

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
    private var isFinished = false

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
      guard !isFinished else { return nil }
      isFinished = true
      guard !Task.isCancelled else { throw ModelError(.run, .cancelled) }
      let start = start
      let run =
        if let run { run } else {
          try await BackgroundThread.run { () throws(ModelError) in try start() }
        }
      self.run = run
      let step = try await run.next()
      isFinished = step == nil
      return step
    }

    /// Writes a checkpoint of where the training stands after the last step, besides those that are
    /// due, so that whoever leaves can come back.
    ///
    /// Nothing is written without ``Trainer/Options/checkpoints``, or before the first step.
    public func saveCheckpoint() async throws(ModelError) {
      guard let run else { return }
      try await BackgroundThread.run { () throws(ModelError) in try run.saveCheckpoint() }
    }
  }
}
