import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// The settings that a resumed training must share with the checkpoint.
struct TrainingConfiguration: Sendable, Equatable {
  var seed: UInt64
  var itemCount: Int
  var batchSize: Int
  var shuffles: Bool
  var keepsLastBatch: Bool
  var validationFraction: Double

  /// Throws if the settings of a checkpoint would lead to another order of items.
  func requireMatch(_ other: TrainingConfiguration, _ path: String) throws(ModelError) {
    let settings = [
      ("seed", "\(other.seed)", "\(seed)"),
      ("item count", "\(other.itemCount)", "\(itemCount)"),
      ("batch size", "\(other.batchSize)", "\(batchSize)"),
      ("shuffling", "\(other.shuffles)", "\(shuffles)"),
      ("keeping the last batch", "\(other.keepsLastBatch)", "\(keepsLastBatch)"),
      ("validation fraction", "\(other.validationFraction)", "\(validationFraction)"),
    ]
    if let (what, expected, actual) = settings.first(where: { $0.1 != $0.2 }) {
      throw ModelError(
        .run, .checkpointMismatch(what: what, expected: expected, actual: actual), file: path)
    }
  }
}

extension TrainingConfiguration {
  init(_ options: Trainer.Options, itemCount: Int) {
    self.init(
      seed: options.seed, itemCount: itemCount, batchSize: options.batchSize,
      shuffles: options.shuffles, keepsLastBatch: options.keepsLastBatch,
      validationFraction: options.validationFraction)
  }
}

/// The contents of a checkpoint's `training.json`.
struct CheckpointMetadata: Sendable, Equatable {
  var configuration: TrainingConfiguration
  var progress: TrainingProgress
  /// The sizes of the weight files, which reveal truncated files.
  var fileSizes: [String: Int]
}

extension CheckpointMetadata {
  /// The keys of `training.json`; the seed and numbers with fractions are strings.
  private static let format = ObjectFormat(
    "a checkpoint", schema: "checkpoint",
    CheckpointMetadata(
      configuration: TrainingConfiguration(
        seed: 0, itemCount: 0, batchSize: 0, shuffles: false, keepsLastBatch: false,
        validationFraction: 0),
      progress: TrainingProgress(), fileSizes: [:]),
    rules: [
      { metadata, _, _ in
        let means = metadata.progress.means
        metadata.progress.means = RunningMeans(
          sums: means.sums, itemCount: means.itemCount, counts: means.counts)
      }
    ]
  ) {
    Field("step", \.progress.step, .natural, "The completed steps.")
    Field(
      "at_epoch_end", \.progress.isAtEpochEnd, .boolean, "Whether the last step ended an epoch.")
    Field(
      "epochs_without_best", \.progress.epochsWithoutImprovement, .natural,
      "The successive epochs without a lower loss.")
    Field("best_step", \.progress.bestStep, .natural, "The step with the lowest loss.")
    Field("best_loss", \.progress.bestLoss, .text, "The lowest loss.")
      .ifMissing { _, fields, reader in
        guard fields["best_step"] != nil else { return }
        reader.log.missingKey("best_loss", in: fields.node, expected: "a number", "missing key")
      }
    Field("epoch_items", \.progress.means.itemCount, .natural, "The items of the epoch so far.")
    Field("epoch_sums", \.progress.means.sums, .dictionary(of: .text), "The sums of its outputs.")
    // Checkpoints of earlier versions have no counts.
    Field(
      "epoch_counts", \.progress.means.counts, .dictionary(of: .natural), default: [:],
      isAlwaysWritten: true, "The number of items in each sum.")
    Field("seed", \.configuration.seed, .text, "The seed of the order of items.")
    Field("items", \.configuration.itemCount, .natural, "The items of the dataset.")
    Field("batch_size", \.configuration.batchSize, .natural, "The items of a step.")
    Field("shuffle", \.configuration.shuffles, .boolean, "Whether items are shuffled.")
    Field("keep_last_batch", \.configuration.keepsLastBatch, .boolean, "Whether it may be smaller.")
    Field("validation", \.configuration.validationFraction, .text, "The part for validation.")
    Field("files", \.fileSizes, .dictionary(of: .natural), "The sizes of the weight files.")
  }

  /// The JSON text.
  var json: [UInt8] { Self.format.value.document(self) }

  /// Reads `training.json`; throws an error that names the first missing or invalid member.
  init(_ node: JSONNode) throws(ModelError) {
    var reader = FormatReader()
    let metadata = Self.format.read(node, &reader)
    guard let metadata, !reader.log.hasErrors else {
      let key = reader.log.diagnostics.first { $0.severity == .error }?.path.split(separator: "/")
        .first
      throw ModelError(.run, .failed("'\(key ?? "step")' is missing or invalid"))
    }
    self = metadata
  }
}

extension TrainingProgress {
  fileprivate var bestStep: Int? {
    get { best?.step }
    set { best = newValue.map { Best(loss: .infinity, step: $0) } }
  }

  fileprivate var bestLoss: Double? {
    get { best?.loss }
    set { if let newValue { best?.loss = newValue } }
  }
}

/// The progress of a training, from which it can be resumed.
struct TrainingProgress: Sendable, Equatable {
  /// The number of completed steps.
  var step = 0
  /// The means of the current epoch's outputs.
  var means = RunningMeans()
  /// The lowest loss of an epoch, and the step at its end.
  var best: Best?
  /// The number of successive epochs without a lower loss.
  var epochsWithoutImprovement = 0
  /// Whether the last step ended an epoch.
  var isAtEpochEnd = false

  struct Best: Sendable, Equatable {
    var loss: Double
    var step: Int
  }

  /// Adds a completed step.
  mutating func add(_ outputs: ModelOutput, items: Int, at position: TrainingPosition) {
    if isAtEpochEnd { means = RunningMeans() }
    step = position.step
    isAtEpochEnd = false
    means.add(outputs, items: items)
  }

  /// Ends an epoch and returns whether it has the lowest loss so far.
  mutating func endEpoch(monitored loss: Double?) -> Bool {
    isAtEpochEnd = true
    guard let loss, loss.isFinite else { return false }
    let isBest = best.map { loss < $0.loss } ?? true
    if isBest { best = Best(loss: loss, step: step) }
    epochsWithoutImprovement = isBest ? 0 : epochsWithoutImprovement + 1
    return isBest
  }

  /// Whether the loss has not decreased for `patience` epochs.
  func shouldStop(patience: Int?) -> Bool {
    patience.map { isAtEpochEnd && epochsWithoutImprovement >= $0 } ?? false
  }
}
