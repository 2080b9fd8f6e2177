internal import TensorIOCore

/// The flags of a training, and what they say.
enum TrainingFlags {
  static let epochs = Flag("epochs", "N", "how often every example is trained on (default 1)")
  static let batchSize = Flag("batch-size", "N", "how many examples a step takes (default 32)")
  static let shuffle = Flag("shuffle", "another order in every epoch, which is the default")
  static let noShuffle = Flag("no-shuffle", "the order of the data in every epoch")
  static let seed = Flag("seed", "N", "what orders derive from (default 0)")
  static let placeholder = Flag(
    "placeholder", "NAME=VALUE", "gives a placeholder a value; may be given more than once")
  static let validation = Flag(
    "validation", "PART", "the part of the data, such as 0.2, that is only measured on")
  static let earlyStop = Flag(
    "early-stop", "N", "ends after N epochs in which the loss did not fall")
  static let loss = Flag(
    "loss", "WHEN", "after or during: with the weights that a step leaves, or begins with",
    choices: ["after", "during"])
  static let checkpoint = Flag("checkpoint", "DIR", "keeps the weights of every epoch in DIR")
  static let resume = Flag("resume", "goes on from the newest checkpoint in DIR, if there is one")
  static let export = Flag("export", "BUNDLE", "writes a new bundle with the trained weights")
  static let plot = Flag("plot", "FILE", "draws the loss as a picture, such as loss.png")

  static let all = [
    epochs, batchSize, shuffle, noShuffle, seed, placeholder, validation, earlyStop, loss,
    checkpoint, resume, export, Flag.force, plot,
  ]

  /// How the model is trained.
  static func options(_ arguments: ParsedArguments) throws(CommandFailure) -> Trainer.Options {
    guard !arguments.has(shuffle) || !arguments.has(noShuffle) else {
      throw .usage("--shuffle and --no-shuffle contradict each other")
    }
    var options = Trainer.Options()
    options.epochs = try arguments.integer(epochs, in: 1...1_000_000_000) ?? options.epochs
    options.batchSize = try arguments.integer(batchSize, in: 1...1_000_000) ?? options.batchSize
    options.shuffles = !arguments.has(noShuffle)
    options.seed = UInt64(try arguments.integer(seed, in: 0...(.max)) ?? 0)
    options.validationFraction = try part(arguments) ?? 0
    options.patience = try arguments.integer(earlyStop, in: 1...1_000_000_000)
    options.moment = arguments.choice(loss) ?? .afterStep
    options.checkpoints = try checkpoints(arguments)
    return options
  }

  private static func part(_ arguments: ParsedArguments) throws(CommandFailure) -> Double? {
    guard let part = try arguments.number(validation) else { return nil }
    guard (0..<1).contains(part) else {
      throw .usage("--validation takes a part from 0 to below 1, got \(part)")
    }
    return part
  }

  private static func checkpoints(
    _ arguments: ParsedArguments
  ) throws(CommandFailure) -> Trainer.Checkpoints? {
    guard let folder = arguments.value(checkpoint) else {
      guard !arguments.has(resume) else {
        throw .usage("--resume needs --checkpoint DIR, where the checkpoints are")
      }
      return nil
    }
    return Trainer.Checkpoints(in: folder, resuming: arguments.has(resume))
  }

  /// What the training leaves behind.
  static func places(_ arguments: ParsedArguments) throws(CommandFailure) -> TrainingPlaces {
    TrainingPlaces(
      export: arguments.value(export), isForced: arguments.has(.force),
      checkpoint: arguments.value(checkpoint), plot: arguments.value(plot))
  }
}

extension OutputFormat {
  /// For what goes on for long.
  static let training = Flag(
    "format", "FORMAT", "text, ndjson (a line per step and epoch) or json",
    choices: ["text", "ndjson", "json"])
}
