/// An error from loading a tokenizer or from tokenizing a text.
package struct TokenizerError: Error, Sendable, Hashable {
  /// The reason for an error.
  package enum Reason: Sendable, Hashable {
    /// The vocabulary or model cannot be used.
    case invalidVocabulary(message: String)
    /// The pattern of a delimiter is invalid, or not supported, at a byte offset.
    case invalidPattern(message: String, offset: Int)
    /// A component of a tokenizer file is not supported.
    case unsupported(component: String)
    /// The settings of an encoder contradict each other or the tokenizer.
    case invalidSettings(message: String)
    /// The text is not valid UTF-8 at a byte offset.
    case invalidUTF8(offset: Int)
    /// The text cannot be tokenized in linear time or does not fit.
    case unsuitableText(message: String)
  }

  /// The reason for the error.
  package let reason: Reason

  /// Creates an error.
  package init(_ reason: Reason) { self.reason = reason }

  /// Creates an error of a vocabulary or model.
  init(vocabulary message: String) { self.init(.invalidVocabulary(message: message)) }
}

extension TokenizerError: CustomStringConvertible {
  /// The reason in words.
  package var description: String {
    switch reason {
    case .invalidVocabulary(let message): "the vocabulary is invalid: \(message)"
    case .invalidPattern(let message, let offset):
      "the delimiter pattern is invalid at byte \(offset): \(message)"
    case .unsupported(let component): "the tokenizer uses \(component), which is not supported"
    case .invalidSettings(let message): message
    case .invalidUTF8(let offset): "the text is not valid UTF-8 at byte \(offset)"
    case .unsuitableText(let message): "the text cannot be tokenized: \(message)"
    }
  }
}
