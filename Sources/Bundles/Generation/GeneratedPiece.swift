/// A token that a model has written.
public struct GeneratedPiece: Sendable, Hashable {
  /// The text that no later token can change: often a word; empty while a character is incomplete or may be part of a stop
  /// string.
  public let text: String
  /// The token's position in the vocabulary; `nil` for text that was held back until the end.
  public let id: Int32?
  /// The logarithms of the probabilities of the token and of others; `nil` unless
  /// ``GenerationOptions/logProbabilities`` asks for them.
  public let logProbabilities: TokenLogProbabilities?
}
