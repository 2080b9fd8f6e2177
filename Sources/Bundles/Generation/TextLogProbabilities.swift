import TensorIOSystem

/// The logarithms of the probabilities that a model gives to the tokens of a text.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "smollm2.tiobundle")
/// let text = try model.logProbabilities(of: " Paris.", after: "The capital of France is")
/// print(text.total, text.perplexity)
/// for (id, logarithm) in zip(text.tokens, text.values) { print(id, logarithm) }
/// ```
///
/// Tokens without a token before them have no probability and are left out: the first one of a text without a prompt, if the
/// tokenizer adds none at the beginning.
public struct TextLogProbabilities: Sendable, Hashable {
  /// The tokens, at least one.
  public let tokens: [Int32]
  /// The natural logarithm of the probability of each token after all tokens before it.
  public let values: [Double]
  /// The number of bytes of the text that the tokens stand for, in UTF-8.
  public let byteCount: Int

  /// The logarithm of the probability of the text.
  public var total: Double { values.reduce(0, +) }

  /// The perplexity: exp of the mean negative logarithm of a token's probability.
  ///
  /// Perplexities are comparable for models with the same tokenizer only; ``bitsPerByte`` for all of them.
  public var perplexity: Double {
    Self.perplexity(logProbability: total, tokenCount: tokens.count)
  }

  /// The negative binary logarithm of the text's probability, per byte.
  public var bitsPerByte: Double {
    Self.bitsPerByte(logProbability: total, byteCount: byteCount)
  }

  package static func perplexity(logProbability: Double, tokenCount: Int) -> Double {
    exp(-logProbability / Double(tokenCount))
  }

  package static func bitsPerByte(logProbability: Double, byteCount: Int) -> Double {
    -logProbability / (log(2) * Double(byteCount))
  }
}
