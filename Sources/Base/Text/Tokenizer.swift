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
  /// Returns the bytes of an id's token to which ``decodings`` apply, or `nil` for an id without a token.
  func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>?
  /// The steps that turn tokens into text.
  var decodings: [TokenDecoding] { get }
  /// Whether the token of an id is no text; that for unknown text is.
  func isSpecial(_ id: Int32) -> Bool
  /// Returns the vocabulary's text of an id, or `nil` for an id without a token.
  func text(of id: Int32) -> String?
  /// Returns the id of a token of the vocabulary, or `nil` if there is none.
  func id(of token: String) -> Int32?
}

extension Tokenizer {
  /// The usual arrangement for the special tokens.
  package var standardTemplate: EncodingTemplate { .standard(for: specialTokens) }

  /// Returns the tokens of a text.
  package func tokenize(_ text: String) throws(TokenizerError) -> [Token] {
    try tokenize(Array(text.utf8))
  }

  /// Whether the token of an id is one of those with a role, except that for unknown text.
  package func isSpecial(_ id: Int32) -> Bool { specialTokens.removedByDecoding.contains(id) }

  /// Returns the text for ids; ids without a token are left out.
  package func decode(_ ids: [Int32], skippingSpecialTokens: Bool = true) -> String {
    var detokenizer = StreamingDetokenizer(
      self, skippingSpecialTokens, continuesText: false, isEager: false)
    var text = ""
    for id in ids { text += detokenizer.append(id) }
    return text + detokenizer.finish()
  }
}
