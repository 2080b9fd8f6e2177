/// How the next token is chosen from the scores of a model.
///
/// The settings have the names and formulas of Hugging Face's `transformers` and apply in its order: biases, repetition
/// penalty, presence and frequency penalty, repeated sequences, minimum length, banned tokens; then, unless the
/// temperature is 0, temperature, top-k, top-p, min-p, typical-p, epsilon and eta. A setting that is not given has no
/// effect, unlike in `transformers`, whose own defaults include a top-k of 50.
public struct SamplingOptions: Sendable, Hashable {
  /// The number that scores are divided by; 0 chooses the token with the highest score, the lowest id among equals.
  public var temperature = 0.0
  /// The number of tokens with the highest scores that can be chosen, and those that equal the last of them; 0 for all.
  public var topK = 0
  /// The probability that the most probable tokens that can be chosen reach together.
  public var topP = 1.0
  /// The least probability of a token as a part of the highest one.
  public var minP = 0.0
  /// The probability that the tokens reach together whose information is nearest to the entropy.
  public var typicalP = 1.0
  /// The least probability of a token.
  public var epsilonCutoff = 0.0
  /// The least probability of a token, lower where the entropy is high.
  public var etaCutoff = 0.0

  /// The number that divides the scores above 0 of tokens of the prompt and the output, and multiplies those below.
  public var repetitionPenalty = 1.0
  /// The number that is subtracted from the score of a token for each time that the output has it.
  public var frequencyPenalty = 0.0
  /// The number that is subtracted from the score of a token that the output has.
  public var presencePenalty = 0.0
  /// The length of sequences that do not appear twice in the prompt and the output; 0 allows all.
  public var noRepeatNGramSize = 0
  /// The number of tokens before which the output does not end.
  public var minNewTokens = 0
  /// Numbers that are added to the scores of tokens; infinity is not allowed, and its negative bans the token.
  public var biases: [Int32: Double] = [:]
  /// Tokens that are never chosen.
  public var bannedTokens: Set<Int32> = []

  /// The number of texts that are followed at the same time to find the most probable one; 1 follows only the best token of
  /// each step.
  ///
  /// Each text has caches and steps of its own. Nothing is written before the search ends. The temperature has to be 0.
  public var beams = 1
  /// The power of the number of tokens by which the score of a text is divided: higher ones prefer longer texts.
  public var lengthPenalty = 1.0
  /// Whether the search ends as soon as it has found as many texts as it follows, although another could become better.
  public var stopsEarly = false

  /// The seed of the random numbers: equal seeds and equal scores give equal tokens.
  public var seed: UInt64 = 0

  /// Creates options that choose the token with the highest score.
  public init() {}
}

extension SamplingOptions {
  /// The maximum number of texts that are followed at the same time.
  package static let maxBeams = 64

  /// The name and the requirement of the first setting that is out of range, or `nil` if all are valid.
  var problem: (name: String, requirement: String)? {
    let checks: [(String, Bool, String)] = [
      ("temperature", temperature.isFinite && temperature >= 0, "at least 0"),
      ("topK", topK >= 0, "at least 0"), ("topP", topP > 0 && topP <= 1, "above 0 and at most 1"),
      ("minP", minP >= 0 && minP <= 1, "from 0 to 1"),
      ("typicalP", typicalP > 0 && typicalP <= 1, "above 0 and at most 1"),
      ("epsilonCutoff", epsilonCutoff >= 0 && epsilonCutoff < 1, "at least 0 and below 1"),
      ("etaCutoff", etaCutoff >= 0 && etaCutoff < 1, "at least 0 and below 1"),
      ("repetitionPenalty", repetitionPenalty.isFinite && repetitionPenalty > 0, "above 0"),
      ("frequencyPenalty", frequencyPenalty.isFinite, "finite"),
      ("presencePenalty", presencePenalty.isFinite, "finite"),
      ("noRepeatNGramSize", noRepeatNGramSize >= 0, "at least 0"),
      ("minNewTokens", minNewTokens >= 0, "at least 0"),
      ("beams", (1...Self.maxBeams).contains(beams), "from 1 to \(Self.maxBeams)"),
      ("beams", beams == 1 || temperature == 0, "1 unless the temperature is 0"),
      ("lengthPenalty", lengthPenalty.isFinite, "finite"),
      ("biases", biases.values.allSatisfy { $0 < .infinity }, "finite or negative infinity"),
    ]
    return checks.first { !$0.1 }.map { ($0.0, $0.2) }
  }
}
