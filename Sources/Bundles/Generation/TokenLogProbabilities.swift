/// The logarithms of the probabilities that a model gives to tokens, before penalties and filters.
package struct TokenLogProbabilities: Sendable, Hashable {
  /// A token with the logarithm of its probability.
  package struct Entry: Sendable, Hashable {
    /// The token.
    package let id: Int32
    /// The natural logarithm of the probability.
    package let logProbability: Double
  }

  /// The token that was asked for.
  package let token: Entry
  /// The most probable tokens, the lowest id first among equals.
  package let top: [Entry]
}
