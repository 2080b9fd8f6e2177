import TensorIO
import TensorIOCore

/// The options of commands that generate text.
struct GenerationFlags {
  static let maxTokens = Flag("max-tokens", "N", "Maximum number of tokens (default: the bundle's)")
  static let temperature = Flag(
    "temperature", "T", "Temperature of sampling; 0 takes the most probable token")
  static let topK = Flag("top-k", "K", "Sample from the K most probable tokens; 0 for all")
  static let topP = Flag(
    "top-p", "P", "Sample from the most probable tokens with a total probability of P")
  static let minP = Flag("min-p", "P", "Exclude tokens below P times the highest probability")
  static let repetitionPenalty = Flag(
    "repetition-penalty", "R", "Penalty for tokens that the prompt or the text already has")
  static let seed = Flag("seed", "N", "Seed of sampling (default: 0)")
  static let stop = Flag("stop", "TEXT", "Stop before this text (repeatable)")

  static let flags = [
    maxTokens, temperature, topK, topP, minP, repetitionPenalty, seed, stop,
  ]

  private var options: GenerationOptions
  private let changeSampling: (@Sendable (inout SamplingOptions) -> Void)?

  /// Parses the options, before a model is opened.
  init(_ arguments: ParsedArguments) throws(OperationError) {
    options = GenerationOptions(
      maxTokens: try arguments.integer(Self.maxTokens, in: 1...1 << 20),
      stop: arguments.values(Self.stop))
    let temperature = try arguments.number(Self.temperature)
    let topK = try arguments.integer(Self.topK, in: 0...1 << 20)
    let (topP, minP) = (try arguments.number(Self.topP), try arguments.number(Self.minP))
    let penalty = try arguments.number(Self.repetitionPenalty)
    let seed = try arguments.integer(Self.seed, in: 0...Int.max)
    let isGiven = [temperature, topP, minP, penalty].contains { $0 != nil }
    guard isGiven || topK != nil || seed != nil else {
      changeSampling = nil
      return
    }
    changeSampling = { sampling in
      sampling.temperature = temperature ?? sampling.temperature
      sampling.topK = topK ?? sampling.topK
      sampling.topP = topP ?? sampling.topP
      sampling.minP = minP ?? sampling.minP
      sampling.repetitionPenalty = penalty ?? sampling.repetitionPenalty
      sampling.seed = seed.map(UInt64.init) ?? sampling.seed
    }
  }

  /// Returns the options for a model, whose bundle's settings apply where no option is given.
  func options(for model: Model) throws(OperationError) -> GenerationOptions {
    guard let changeSampling else { return options }
    var options = options
    var sampling = try OperationError.rethrowing { () throws(ModelError) in
      try model.samplingDefaults
    }
    changeSampling(&sampling)
    options.sampling = sampling
    return options
  }
}
