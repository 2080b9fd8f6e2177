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

// MARK: Writing

extension CheckpointMetadata {
  /// The JSON text.
  ///
  /// Floating-point numbers and the seed are written as strings, which every JSON reader preserves
  /// exactly.
  var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("step", progress.step)
      writer.member("at_epoch_end", progress.isAtEpochEnd)
      writer.member("epochs_without_best", progress.epochsWithoutImprovement)
      if let best = progress.best {
        writer.member("best_step", best.step)
        writer.member("best_loss", "\(best.loss)")
      }
      writer.member("epoch_items", progress.means.itemCount)
      writer.member("epoch_sums") { $0.strings(progress.means.sums) }
      writer.member("epoch_counts") { writer in
        for (name, count) in progress.means.counts.sorted(by: { $0.key < $1.key }) {
          writer.member(name, count)
        }
      }
      writer.members(of: configuration)
      writer.member("files") { writer in
        for (name, size) in fileSizes.sorted(by: { $0.key < $1.key }) { writer.member(name, size) }
      }
    }
    return writer.bytes + [ASCII.lineFeed]
  }
}

extension JSONWriter {
  fileprivate mutating func members(of configuration: TrainingConfiguration) {
    member("seed", "\(configuration.seed)")
    member("items", configuration.itemCount)
    member("batch_size", configuration.batchSize)
    member("shuffle", configuration.shuffles)
    member("keep_last_batch", configuration.keepsLastBatch)
    member("validation", "\(configuration.validationFraction)")
  }

  fileprivate mutating func strings(_ numbers: [String: Double]) {
    for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { member(name, "\(number)") }
  }
}

// MARK: Reading

extension CheckpointMetadata {
  /// Reads `training.json`; throws an error that names the first missing or invalid member.
  init(_ node: JSONNode) throws(ModelError) {
    progress = try TrainingProgress(node)
    configuration = try TrainingConfiguration(node)
    var fileSizes: [String: Int] = [:]
    for member in try node.required("files", \.members) {
      fileSizes[member.name] = try member.value.count("files")
    }
    self.fileSizes = fileSizes
  }
}

extension TrainingProgress {
  fileprivate init(_ node: JSONNode) throws(ModelError) {
    step = try node.count("step")
    isAtEpochEnd = try node.required("at_epoch_end", \.bool)
    epochsWithoutImprovement = try node.count("epochs_without_best")
    if node["best_step"] != nil {
      best = Best(loss: try node.number("best_loss"), step: try node.count("best_step"))
    }
    var sums: [String: Double] = [:]
    for member in try node.required("epoch_sums", \.members) {
      sums[member.name] = try node.required("epoch_sums") { _ in
        member.value.string.flatMap { Double($0) }
      }
    }
    // Checkpoints of earlier versions have no counts.
    var counts: [String: Int] = [:]
    if let members = node["epoch_counts"]?.members {
      for member in members { counts[member.name] = try member.value.count("epoch_counts") }
    }
    means = RunningMeans(sums: sums, itemCount: try node.count("epoch_items"), counts: counts)
  }
}

extension TrainingConfiguration {
  fileprivate init(_ node: JSONNode) throws(ModelError) {
    seed = try node.required("seed") { $0.string.flatMap { UInt64($0) } }
    itemCount = try node.count("items")
    batchSize = try node.count("batch_size")
    shuffles = try node.required("shuffle", \.bool)
    keepsLastBatch = try node.required("keep_last_batch", \.bool)
    validationFraction = try node.number("validation")
  }
}

extension JSONNode {
  fileprivate func required<Value>(
    _ key: String, _ read: (JSONNode) -> Value?
  ) throws(ModelError) -> Value {
    guard let value = self[key].flatMap(read) else {
      throw ModelError(.run, .failed("'\(key, as: "key")' is missing or invalid"))
    }
    return value
  }

  fileprivate func number(_ key: String) throws(ModelError) -> Double {
    try required(key) { $0.string.flatMap { Double($0) } }
  }

  fileprivate func count(_ key: String) throws(ModelError) -> Int {
    guard let value = (self[key] ?? self).int.flatMap({ Int(exactly: $0) }), value >= 0 else {
      throw ModelError(.run, .failed("'\(key, as: "key")' is missing or invalid"))
    }
    return value
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
