/// Splits text into tokens of a vocabulary.
///
/// A tokenizer adds no special tokens at the beginning and the end; ``TextEncoder`` does. Its run time grows
/// linearly, or almost linearly, with the length of the text.
///
/// ```swift
/// let tokenizer = try WordPieceTokenizer(vocabulary: bytes)
/// let tokens = try tokenizer.tokenize("a waste of time")
/// print(tokens.map(\.id))
/// ```
package protocol Tokenizer: Sendable {
  /// The number of ids: every id is less.
  var vocabularySize: Int { get }
  /// The tokens with a role.
  var specialTokens: SpecialTokens { get }
  /// The usual arrangement of texts and special tokens.
  var standardTemplate: EncodingTemplate { get }
  /// Returns the tokens of a text in UTF-8.
  ///
  /// - Throws: ``TokenizerError`` if the text is not valid UTF-8, or too long for the tokenizer.
  func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token]
  /// Returns the bytes of an id's token as they are in the vocabulary, or `nil` for an id without a token.
  func vocabularyBytes(of id: Int32) -> ArraySlice<UInt8>?
  /// Returns the vocabulary's text of an id, or `nil` for an id without a token.
  func text(of id: Int32) -> String?
  /// Returns the id of a token of the vocabulary, or `nil` if there is none.
  func id(of token: String) -> Int32?
  /// Returns the text for ids; ids without a token are left out.
  func decode(_ ids: [Int32], skippingSpecialTokens: Bool) -> String
}

extension Tokenizer {
  /// The usual arrangement for the special tokens.
  package var standardTemplate: EncodingTemplate { .standard(for: specialTokens) }

  /// Returns the tokens of a text.
  package func tokenize(_ text: String) throws(TokenizerError) -> [Token] {
    try tokenize(Array(text.utf8))
  }

  /// Returns the text for ids, without special tokens.
  package func decode(_ ids: [Int32]) -> String { decode(ids, skippingSpecialTokens: true) }

  /// Returns the vocabulary's texts of ids without those that have no text.
  func texts(of ids: [Int32], skippingSpecialTokens: Bool) -> [String] {
    let removed = skippingSpecialTokens ? specialTokens.removedByDecoding : []
    return ids.compactMap { removed.contains($0) ? nil : text(of: $0) }
  }
}
