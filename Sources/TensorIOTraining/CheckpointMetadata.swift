import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// What a training must have in common with one that it goes on from.
struct TrainingConfiguration: Sendable, Equatable {
  var seed: UInt64
  var itemCount: Int
  var batchSize: Int
  var shuffles: Bool
  var keepsLastBatch: Bool
  var validationFraction: Double

  /// Refuses to go on from a training whose items would come in another order.
  func requireMatch(_ other: TrainingConfiguration, _ path: String) throws(ModelError) {
    let facts = [
      ("the seed", "\(other.seed)", "\(seed)"),
      ("a number of items of", "\(other.itemCount)", "\(itemCount)"),
      ("a batch size of", "\(other.batchSize)", "\(batchSize)"),
      ("shuffling", "\(other.shuffles)", "\(shuffles)"),
      ("the last batch kept", "\(other.keepsLastBatch)", "\(keepsLastBatch)"),
      ("a validation part of", "\(other.validationFraction)", "\(validationFraction)"),
    ]
    if let (what, expected, actual) = facts.first(where: { $0.1 != $0.2 }) {
      throw ModelError(
        .run, .checkpointMismatch(what: what, expected: expected, actual: actual), file: path)
    }
  }
}

extension TrainingConfiguration {
  init(_ options: Trainer.Options, itemCount: Int) {
    self.init(
      seed: options.seed, itemCount: itemCount, batchSize: options.batchSize, shuffles: options.shuffles,
      keepsLastBatch: options.keepsLastBatch, validationFraction: options.validationFraction)
  }
}

/// The `training.json` of a checkpoint.
struct CheckpointMetadata: Sendable, Equatable {
  var configuration: TrainingConfiguration
  var progress: TrainingProgress
  /// The sizes of the files with the weights, by which one that was cut off is known.
  var fileSizes: [String: Int]
}

// MARK: Writing

extension CheckpointMetadata {
  /// Numbers of 64 bits are written as texts, which every reader keeps to the last bit.
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
      writer.member("epoch_sums") { $0.texts(progress.means.sums) }
      writer.members(of: configuration)
      writer.member("files") { writer in
        for (name, size) in fileSizes.sorted(by: { $0.key < $1.key }) { writer.member(name, size) }
      }
    }
    return writer.bytes + [ASCII.lineFeed]
  }
}

extension JSONWriter {
  fileprivate mutating func members(of facts: TrainingConfiguration) {
    member("seed", "\(facts.seed)")
    member("items", facts.itemCount)
    member("batch_size", facts.batchSize)
    member("shuffle", facts.shuffles)
    member("keep_last_batch", facts.keepsLastBatch)
    member("validation", "\(facts.validationFraction)")
  }

  fileprivate mutating func texts(_ numbers: [String: Double]) {
    for (name, number) in numbers.sorted(by: { $0.key < $1.key }) { member(name, "\(number)") }
  }
}

// MARK: Reading

extension CheckpointMetadata {
  /// Reads a record, or says which member it lacks.
  init(_ node: JSONNode) throws(ModelError) {
    progress = try TrainingProgress(node)
    configuration = try TrainingConfiguration(node)
    var files: [String: Int] = [:]
    for member in try node.required("files", \.members) {
      files[member.name] = try member.value.count("files")
    }
    self.fileSizes = files
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
    means = RunningMeans(sums: sums, itemCount: try node.count("epoch_items"))
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
      throw ModelError(.run, .failed("it has no \(key)"))
    }
    return value
  }

  fileprivate func number(_ key: String) throws(ModelError) -> Double {
    try required(key) { $0.string.flatMap { Double($0) } }
  }

  fileprivate func count(_ key: String) throws(ModelError) -> Int {
    guard let value = (self[key] ?? self).int.flatMap({ Int(exactly: $0) }), value >= 0 else {
      throw ModelError(.run, .failed("it has no \(key)"))
    }
    return value
  }
}

/// How far a training has come: all that a checkpoint has to tell to go on from there.
struct TrainingProgress: Sendable, Equatable {
  /// How many steps have been taken.
  var step = 0
  /// The means of the epoch so far.
  var means = RunningMeans()
  /// The lowest loss of an epoch, and the step at whose end it was.
  var best: Best?
  /// How many epochs in a row had no lower loss.
  var epochsWithoutImprovement = 0
  /// Whether the last step ended an epoch.
  var isAtEpochEnd = false

  struct Best: Sendable, Equatable {
    var loss: Double
    var step: Int
  }

  /// Counts a step.
  mutating func add(_ outputs: ModelOutput, items: Int, at position: TrainingPosition) {
    if isAtEpochEnd { means = RunningMeans() }
    step = position.step
    isAtEpochEnd = false
    means.add(outputs, items: items)
  }

  /// Counts an epoch, and says whether it was the best.
  mutating func endEpoch(monitored loss: Double?) -> Bool {
    isAtEpochEnd = true
    guard let loss, loss.isFinite else { return false }
    let isBest = best.map { loss < $0.loss } ?? true
    if isBest { best = Best(loss: loss, step: step) }
    epochsWithoutImprovement = isBest ? 0 : epochsWithoutImprovement + 1
    return isBest
  }

  /// Whether the loss has not fallen for so many epochs.
  func shouldStop(patience: Int?) -> Bool {
    patience.map { isAtEpochEnd && epochsWithoutImprovement >= $0 } ?? false
  }
}
