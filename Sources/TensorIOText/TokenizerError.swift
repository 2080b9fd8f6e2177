/// An error from loading a tokenizer or from tokenizing a text.
package struct TokenizerError: Error, Sendable, Hashable {
  /// The reason for an error.
  package enum Reason: Sendable, Hashable {
    /// The vocabulary or model cannot be used.
    case invalidVocabulary(message: String)
    /// The text is not valid UTF-8 at a byte offset.
    case invalidUTF8(offset: Int)
  }

  /// The reason for the error.
  package let reason: Reason

  /// Creates an error.
  package init(_ reason: Reason) { self.reason = reason }
}

extension TokenizerError: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch reason {
    case .invalidVocabulary(let message): "the vocabulary is invalid: \(message)"
    case .invalidUTF8(let offset): "the text is not valid UTF-8 at byte \(offset)"
    }
  }
}
