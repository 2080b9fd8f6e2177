public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem

/// Trains a model on data, with epochs, batches, validation and checkpoints.
///
/// ```swift
/// import TensorIO
///
/// let model = try TrainableModel(at: "line.tiobundle")
/// let points = LazyBatchSource(keys: ["x", "y"], count: 20) { index in
///   ["x": Double(index), "y": 2 * Double(index) + 1]
/// }
/// for try await step in Trainer(model, .init(epochs: 5, batchSize: 4)).train(points) {
///   print(step.step, step.loss ?? .nan)
/// }
/// try model.export(to: "trained.tiobundle")
/// ```
///
/// While the model performs one step, the items of the next are created and written into tensors. A
/// step is performed when the loop requests it: leaving the loop or canceling its task ends the
/// training between two steps.
public struct Trainer: Sendable {
  /// The model to train.
  public let model: TrainableModel
  /// The training options.
  public var options: Options

  /// Creates a trainer.
  public init(_ model: TrainableModel, _ options: Options = Options()) {
    self.model = model
    self.options = options
  }

  /// Returns the steps of the training.
  ///
  /// Nothing is trained until they are iterated.
  ///
  /// - Parameter data: The items, with a value for each training input of the model.
  /// - Returns: The steps, as an asynchronous sequence.
  public func train(_ data: some BatchSource) -> TrainingSteps {
    TrainingSteps(trainer: self, data: data)
  }
}

extension Trainer {
  /// Settings of a training.
  public struct Options: Sendable {
    /// The number of times each item is trained on.
    public var epochs: Int
    /// The number of items per step.
    public var batchSize: Int
    /// Whether each epoch has a different order of items.
    public var shuffles: Bool
    /// The seed that determines the order of items.
    public var seed: UInt64
    /// Whether the remaining items at the end of an epoch, too few for a batch, form a smaller
    /// batch.
    public var keepsLastBatch: Bool
    /// The fraction of items, from 0 to 1, that is used for validation instead of training.
    public var validationFraction: Double
    /// The number of epochs without a lower loss after which the training ends; `nil` to disable
    /// early stopping.
    ///
    /// The loss is the validation loss if there is one.
    public var earlyStoppingPatience: Int?
    /// The values of placeholders, such as a learning rate.
    public var placeholders: Placeholders
    /// Returns values of placeholders for a step, which override ``placeholders``.
    public var placeholderSchedule: (@Sendable (TrainingPosition) -> Placeholders)?
    /// When the outputs of a step are computed.
    public var outputTiming: StepOutputTiming
    /// The name of the loss output.
    ///
    /// Defaults to the only output that is a single number, otherwise to the one whose name
    /// contains `loss`, otherwise to the first.
    public var lossOutput: String?
    /// Where and how often to write checkpoints; `nil` writes none.
    public var checkpoints: Checkpoints?

    /// Creates options.
    public init(
      epochs: Int = 1, batchSize: Int = 32, shuffles: Bool = true, seed: UInt64 = 0,
      keepsLastBatch: Bool = true, validationFraction: Double = 0,
      earlyStoppingPatience: Int? = nil,
      placeholders: Placeholders = [:],
      placeholderSchedule: (@Sendable (TrainingPosition) -> Placeholders)? = nil,
      outputTiming: StepOutputTiming = .afterStep, lossOutput: String? = nil,
      checkpoints: Checkpoints? = nil
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

  /// Settings for checkpoints.
  ///
  /// A checkpoint is a folder `checkpoint-<step>` with the weights and a `training.json` with the
  /// progress of the training.
  public struct Checkpoints: Sendable, Hashable {
    /// The interval between two checkpoints.
    public enum Interval: Sendable, Hashable {
      /// A number of steps.
      case steps(Int)
      /// A number of epochs.
      case epochs(Int)
    }

    /// The folder that contains the checkpoints.
    public var folder: String
    /// The interval between two checkpoints.
    public var interval: Interval
    /// The number of most recent checkpoints to keep, in addition to the best one.
    public var maxToKeep: Int
    /// Whether to resume from the newest complete checkpoint, if there is one.
    public var resumes: Bool

    /// Creates settings.
    public init(
      in folder: String, every interval: Interval = .epochs(1), maxToKeep: Int = 3,
      resuming resumes: Bool = false
    ) {
      self.folder = folder
      self.interval = interval
      self.maxToKeep = maxToKeep
      self.resumes = resumes
    }
  }
}

/// The position of a step in the training.
public struct TrainingPosition: Sendable, Hashable {
  /// The step, counted from 1 over all epochs.
  public var step: Int
  /// The epoch, counted from 1.
  public var epoch: Int
  /// The step within the epoch, counted from 1.
  public var stepInEpoch: Int
  /// The number of steps per epoch.
  public var stepsPerEpoch: Int
}

/// A completed training step.
public struct TrainingStep: Sendable {
  /// The step, counted from 1 over all epochs.
  public let step: Int
  /// The epoch, counted from 1.
  public let epoch: Int
  /// The position in the training.
  public let position: TrainingPosition
  /// The loss; `nil` if outputs are not computed.
  public let loss: Double?
  /// All outputs.
  public let outputs: ModelOutput
  /// The number of items in the step.
  public let itemCount: Int
  /// The duration of the step, without preparing its items.
  public let duration: Duration
  /// The summary of the epoch; `nil` unless this is its last step.
  public let epochSummary: EpochSummary?
}

/// The results of one epoch.
public struct EpochSummary: Sendable, Hashable {
  /// The epoch, counted from 1.
  public let epoch: Int
  /// The mean loss over all items; `nil` if outputs are not computed.
  public let loss: Double?
  /// The means of all numeric outputs over all items, by name.
  public let metrics: [String: Double]
  /// The means over the validation items; `nil` without validation.
  public let validation: AveragedOutputs?
  /// Whether the loss is the lowest of all epochs so far.
  public let isBest: Bool
  /// Whether early stopping ends the training after this epoch.
  public let stopsEarly: Bool
}

/// The means of a model's outputs over a dataset.
public struct AveragedOutputs: Sendable, Hashable {
  /// The mean of the loss output.
  public let loss: Double?
  /// The means of all numeric outputs, by name.
  public let means: [String: Double]
  /// The number of items.
  public let itemCount: Int
}

/// The asynchronous sequence of a training's steps; each step is performed when it is requested.
public struct TrainingSteps: AsyncSequence, Sendable {
  /// A training step.
  public typealias Element = TrainingStep
  /// The error that ends a training early.
  public typealias Failure = ModelError

  let trainer: Trainer
  let data: any BatchSource

  /// Starts a training, or resumes it from a checkpoint.
  public func makeAsyncIterator() -> Iterator { Iterator(trainer, data) }

  /// Performs the steps in order.
  public struct Iterator: AsyncIteratorProtocol {
    private let start: @Sendable () throws(ModelError) -> TrainingRun
    private var run: TrainingRun?
    private var isFinished = false

    init(_ trainer: Trainer, _ data: any BatchSource) {
      start = { () throws(ModelError) in try TrainingRun(trainer, data) }
    }

    /// Performs the next step; `nil` if the training has ended.
    public mutating func next() async throws(ModelError) -> TrainingStep? {
      try await next(isolation: nil)
    }

    /// Performs the next step; `nil` if the training has ended.
    ///
    /// - Throws: ``ModelError/cancelled`` if the task is canceled,
    ///   ``ModelError/lossNotFinite`` if the loss is NaN or infinite, or the
    ///   error of an item or the runtime.
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

    /// Writes a checkpoint after the last step, in addition to the periodic ones, so that the
    /// training can be interrupted and resumed.
    ///
    /// Does nothing without ``Trainer/Options/checkpoints`` or before the first step.
    public func saveCheckpoint() async throws(ModelError) {
      guard let run else { return }
      try await BackgroundThread.run { () throws(ModelError) in try run.saveCheckpoint() }
    }
  }
}
