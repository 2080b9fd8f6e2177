import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTraining

/// The options of `tensorio train`.
enum TrainingFlags {
  static let epochs = Flag("epochs", "N", "Number of passes over the data (default: 1)")
  static let batchSize = Flag("batch-size", "N", "Number of examples per step (default: 32)")
  static let shuffle = Flag("shuffle", "Shuffle the examples in every epoch (default)")
  static let noShuffle = Flag("no-shuffle", "Keep the order of the data in every epoch")
  static let seed = Flag("seed", "N", "Seed of shuffling and validation split (default: 0)")
  static let placeholder = Flag(
    "placeholder", "NAME=VALUE", "Value of a placeholder (repeatable)")
  static let validationSplit = Flag(
    "validation-split", "FRACTION", "Fraction of the data held out for validation (default: 0)")
  static let earlyStopping = Flag(
    "early-stopping", "N", "Stop after N epochs without a lower loss")
  static let lossTiming = Flag(
    "loss-timing", "WHEN", "When to compute the loss: before-update or after-update (default)",
    choices: ["after-update", "before-update"])
  static let checkpointFolder = Flag(
    "checkpoint-dir", "DIR", "Save the weights of every epoch in DIR")
  static let resume = Flag(
    "resume", "Resume from the newest checkpoint in --checkpoint-dir, if any")
  static let export = Flag("export", "BUNDLE", "Write a new bundle with the trained weights")
  static let plot = Flag("plot", "FILE", "Write a chart of the loss, such as loss.png")

  static let all = [
    epochs, batchSize, shuffle, noShuffle, seed, placeholder, validationSplit, earlyStopping,
    lossTiming,
    checkpointFolder, resume, export, Flag.force, plot,
  ]

  /// Returns the trainer's options.
  static func options(_ arguments: ParsedArguments) throws(OperationError) -> Trainer.Options {
    guard !arguments.has(shuffle) || !arguments.has(noShuffle) else {
      throw .usage("--shuffle and --no-shuffle are mutually exclusive")
    }
    var options = Trainer.Options()
    options.epochs = try arguments.integer(epochs, in: 1...1_000_000_000) ?? options.epochs
    options.batchSize = try arguments.integer(batchSize, in: 1...1_000_000) ?? options.batchSize
    options.shuffles = !arguments.has(noShuffle)
    options.seed = UInt64(try arguments.integer(seed, in: 0...(.max)) ?? 0)
    options.validationFraction = try validationFraction(arguments) ?? 0
    options.earlyStoppingPatience = try arguments.integer(earlyStopping, in: 1...1_000_000_000)
    options.outputTiming = arguments.choice(lossTiming) ?? .afterStep
    options.checkpoints = try checkpoints(arguments)
    return options
  }

  private static func validationFraction(_ arguments: ParsedArguments) throws(OperationError)
    -> Double?
  {
    guard let fraction = try arguments.number(validationSplit) else { return nil }
    guard (0..<1).contains(fraction) else {
      throw .usage("--validation-split takes a number from 0 to below 1, got \(fraction)")
    }
    return fraction
  }

  private static func checkpoints(
    _ arguments: ParsedArguments
  ) throws(OperationError) -> Trainer.Checkpoints? {
    guard let folder = arguments.value(checkpointFolder) else {
      guard !arguments.has(resume) else {
        throw .usage("--resume requires --checkpoint-dir DIR")
      }
      return nil
    }
    return Trainer.Checkpoints(in: folder, resuming: arguments.has(resume))
  }

  /// Returns the files that training writes.
  static func outputs(_ arguments: ParsedArguments) throws(OperationError) -> TrainingOutputs {
    TrainingOutputs(
      export: arguments.value(export), overwrites: arguments.has(.force),
      checkpoint: arguments.value(checkpointFolder), plot: arguments.value(plot))
  }
}

extension OutputFormat {
  /// The output format of long-running commands.
  static let trainingFlag = Flag(
    "format", "FORMAT", "Output format: text, json, or ndjson per step and epoch",
    choices: ["text", "ndjson", "json"])
}

/// The files that training writes.
struct TrainingOutputs: Sendable {
  /// The bundle with the trained weights.
  let export: String?
  /// Whether an existing bundle is replaced.
  let overwrites: Bool
  /// The folder for checkpoints.
  let checkpoint: String?
  /// The chart of the losses.
  let plot: String?

  /// Throws an error if an output cannot be written, so that this is known before training.
  func checkWritable() throws(OperationError) {
    if let export {
      if !overwrites, FileKind(at: export, followingSymlinks: false) != nil {
        throw OperationError(packing: ModelError(.run, .alreadyExists(export)))
      }
      try checkParentFolder(of: export)
    }
    if let checkpoint { try checkParentFolder(of: checkpoint) }
    if let plot {
      try LossCurve.check(plot)
      try checkParentFolder(of: plot)
    }
  }

  private func checkParentFolder(of path: String) throws(OperationError) {
    let folder = FilePath.parent(of: FilePath.removingTrailingSlashes(path))
    guard FileKind(at: folder) != .directory else { return }
    throw OperationError(
      "unwritable", "\(path): no such folder: '\(folder)'", exitCode: .operationFailed)
  }

  /// The newest checkpoint; `nil` if there is none.
  var lastCheckpoint: String? {
    guard let checkpoint, let names = try? FileSystem.entryNames(in: checkpoint) else { return nil }
    let steps = names.filter { $0.hasPrefix("checkpoint-") }
      .compactMap { Int($0.dropFirst("checkpoint-".count)) }
    return steps.max().map { "\(checkpoint)/checkpoint-\($0)" }
  }

  /// A message with the location of the weights of an unfinished training.
  var savedWeightsMessage: String {
    guard checkpoint != nil else {
      return "the weights were not saved; --checkpoint-dir DIR saves them after every epoch"
    }
    guard let lastCheckpoint else {
      return "the weights were not saved because no epoch was completed"
    }
    return "the weights are in \(lastCheckpoint); repeat the command with --resume to continue"
  }
}
