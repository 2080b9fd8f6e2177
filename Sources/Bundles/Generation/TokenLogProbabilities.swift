/// The logarithms of the probabilities that a model gives to tokens, before penalties and filters.
public struct TokenLogProbabilities: Sendable, Hashable {
  /// A token with the logarithm of its probability.
  public struct Entry: Sendable, Hashable {
    /// The token.
    public let id: Int32
    /// The natural logarithm of the probability.
    public let logProbability: Double
  }

  /// The token that was asked for.
  public let token: Entry
  /// The most probable tokens, the lowest id first among equals.
  public let top: [Entry]
}
