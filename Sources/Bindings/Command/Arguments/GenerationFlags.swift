import TensorIO
import TensorIOCore

/// The options of commands that write text.
enum GenerationFlags {
  static let maxTokens = Flag("max-tokens", "N", "Maximum number of tokens (default: the bundle's)")
  static let temperature = Flag(
    "temperature", "T", "Divide scores by T and draw; 0 takes the most probable token")
  static let topK = Flag("top-k", "K", "Draw one of the K most probable tokens; 0 for all")
  static let topP = Flag("top-p", "P", "Draw one of the tokens that are probable by P together")
  static let minP = Flag("min-p", "P", "Leave out tokens below P times the highest probability")
  static let repetitionPenalty = Flag(
    "repetition-penalty", "R", "Lower the scores of tokens that were there already")
  static let seed = Flag("seed", "N", "Seed of the draws (default: 0)")
  static let stop = Flag("stop", "TEXT", "End before this text (repeatable)")

  static let flags = [
    maxTokens, temperature, topK, topP, minP, repetitionPenalty, seed, stop,
  ]

  /// Returns the options for a bundle, whose settings apply where no option is given.
  static func options(
    _ arguments: ParsedArguments, _ model: Model
  ) throws(OperationError) -> GenerationOptions {
    var options = GenerationOptions(
      maxTokens: try arguments.integer(maxTokens, in: 1...1 << 20), stop: arguments.values(stop))
    let given = [temperature, topK, topP, minP, repetitionPenalty, seed].contains {
      arguments.has($0)
    }
    guard given else { return options }
    var sampling = try OperationError.rethrowing { () throws(ModelError) in
      try model.samplingDefaults
    }
    sampling.temperature = try arguments.number(temperature) ?? sampling.temperature
    sampling.topK = try arguments.integer(topK, in: 0...1 << 20) ?? sampling.topK
    sampling.topP = try arguments.number(topP) ?? sampling.topP
    sampling.minP = try arguments.number(minP) ?? sampling.minP
    sampling.repetitionPenalty =
      try arguments.number(repetitionPenalty) ?? sampling.repetitionPenalty
    sampling.seed = UInt64(try arguments.integer(seed, in: 0...Int.max) ?? 0)
    options.sampling = sampling
    return options
  }
}
