/// A token of a text.
package struct Token: Sendable, Hashable {
  /// The token's number in the vocabulary.
  package let id: Int32
  /// The bytes of the original text that the token stands for; empty for a token without text.
  package let range: Range<Int>

  /// Creates a token.
  package init(id: Int32, range: Range<Int>) {
    self.id = id
    self.range = range
  }
}
