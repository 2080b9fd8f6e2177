import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTraining

/// The flags of a training, and what they say.
enum TrainingFlags {
  static let epochs = Flag("epochs", "N", "how often every example is trained on (default 1)")
  static let batchSize = Flag("batch-size", "N", "how many examples a step takes (default 32)")
  static let shuffle = Flag("shuffle", "another order in every epoch, which is the default")
  static let noShuffle = Flag("no-shuffle", "the order of the data in every epoch")
  static let seed = Flag("seed", "N", "what orders derive from (default 0)")
  static let placeholder = Flag(
    "placeholder", "NAME=VALUE", "gives a placeholder a value; may be given more than once")
  static let validationSplit = Flag(
    "validation", "PART", "the part of the data, such as 0.2, that is only measured on")
  static let earlyStopping = Flag(
    "early-stop", "N", "ends after N epochs in which the loss did not fall")
  static let lossTiming = Flag(
    "loss", "WHEN", "after or during: with the weights that a step leaves, or begins with",
    choices: ["after", "during"])
  static let checkpointFolder = Flag("checkpoint", "DIR", "keeps the weights of every epoch in DIR")
  static let resume = Flag("resume", "goes on from the newest checkpoint in DIR, if there is one")
  static let export = Flag("export", "BUNDLE", "writes a new bundle with the trained weights")
  static let plot = Flag("plot", "FILE", "draws the loss as a picture, such as loss.png")

  static let all = [
    epochs, batchSize, shuffle, noShuffle, seed, placeholder, validationSplit, earlyStopping, lossTiming,
    checkpointFolder, resume, export, Flag.force, plot,
  ]

  /// How the model is trained.
  static func options(_ arguments: ParsedArguments) throws(OperationError) -> Trainer.Options {
    guard !arguments.has(shuffle) || !arguments.has(noShuffle) else {
      throw .usage("--shuffle and --no-shuffle contradict each other")
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

  private static func validationFraction(_ arguments: ParsedArguments) throws(OperationError) -> Double? {
    guard let part = try arguments.number(validationSplit) else { return nil }
    guard (0..<1).contains(part) else {
      throw .usage("--validation takes a part from 0 to below 1, got \(part)")
    }
    return part
  }

  private static func checkpoints(
    _ arguments: ParsedArguments
  ) throws(OperationError) -> Trainer.Checkpoints? {
    guard let folder = arguments.value(checkpointFolder) else {
      guard !arguments.has(resume) else {
        throw .usage("--resume needs --checkpoint DIR, where the checkpoints are")
      }
      return nil
    }
    return Trainer.Checkpoints(in: folder, resuming: arguments.has(resume))
  }

  /// What the training leaves behind.
  static func outputs(_ arguments: ParsedArguments) throws(OperationError) -> TrainingOutputs {
    TrainingOutputs(
      export: arguments.value(export), overwrites: arguments.has(.force),
      checkpoint: arguments.value(checkpointFolder), plot: arguments.value(plot))
  }
}

extension OutputFormat {
  /// For what goes on for long.
  static let trainingFlag = Flag(
    "format", "FORMAT", "text, ndjson (a line per step and epoch) or json",
    choices: ["text", "ndjson", "json"])
}

/// What a training leaves behind, and where.
struct TrainingOutputs: Sendable {
  /// The bundle with the trained weights.
  let export: String?
  /// Whether the bundle takes the place of what is there.
  let overwrites: Bool
  /// The folder for checkpoints.
  let checkpoint: String?
  /// The picture of the losses.
  let plot: String?

  /// Throws where something cannot be written, before hours are spent on it.
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
    let folder = path.hasPrefix("/") ? "/" : "./"
    let parents = path.split(separator: "/").dropLast().joined(separator: "/")
    guard FileKind(at: folder + parents) != .directory else { return }
    throw OperationError("unwritable", "\(path): there is no folder '\(parents)'", exitCode: .inferenceFailed)
  }

  /// The checkpoint of the last steps, where there is one.
  var lastCheckpoint: String? {
    guard let checkpoint, let names = try? FileSystem.entryNames(in: checkpoint) else { return nil }
    let steps = names.filter { $0.hasPrefix("checkpoint-") }
      .compactMap { Int($0.dropFirst("checkpoint-".count)) }
    return steps.max().map { "\(checkpoint)/checkpoint-\($0)" }
  }

  /// What is said of where the weights are when a training ends before its time.
  var savedWeightsMessage: String {
    guard checkpoint != nil else {
      return "no weights are kept; --checkpoint DIR keeps those of every epoch"
    }
    guard let lastCheckpoint else { return "no weights are kept, since no epoch was over" }
    return "the weights are in \(lastCheckpoint); the same command with --resume goes on from there"
  }
}
