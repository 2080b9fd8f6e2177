/// A tokenizer that splits text at delimiters, as described in the metadata of TensorFlow Lite models.
///
/// ```swift
/// let tokenizer = try RegexTokenizer(delimiter: "[^\\w']+", vocabulary: bytes)
/// let ids = try tokenizer.tokenize("What a waste of my time.").map(\.id)
/// ```
package struct RegexTokenizer: Tokenizer {
  /// The format of a vocabulary file.
  package enum VocabularyFormat: String, Sendable, Hashable {
    /// A token, a space and an id a line.
    case tokensWithIDs
    /// A token a line, whose id is the number of the line, from 0.
    case oneTokenPerLine
  }

  private let vocabulary: TokenVocabulary
  private let delimiter: PatternMatcher
  /// The tokens with a role: `<UNKNOWN>`, `<PAD>` and `<START>`.
  package let specialTokens: SpecialTokens

  /// Creates a tokenizer.
  ///
  /// Of equal tokens, the last one counts. Text that is not in the vocabulary becomes `<UNKNOWN>`.
  ///
  /// - Parameters:
  ///   - delimiter: A regular expression: literals, sets, `\d \w \s` and their complements, groups, alternatives,
  ///     `*`, `+` and `?`.
  ///   - file: The vocabulary.
  ///   - format: The format of the vocabulary; `nil` means tokens with ids if all lines end with a number.
  /// - Throws: ``TokenizerError`` if the pattern is not supported, or the vocabulary is too large, not UTF-8, has a
  ///   line without an id, or has no `<UNKNOWN>`.
  package init(
    delimiter: String, vocabulary file: [UInt8], format: VocabularyFormat? = nil
  ) throws(TokenizerError) {
    self.delimiter = try PatternMatcher(pattern: delimiter, dialect: .re2)
    switch format ?? (TokenVocabulary.hasIDs(file) ? .tokensWithIDs : .oneTokenPerLine) {
    case .tokensWithIDs: vocabulary = try TokenVocabulary(tokensWithIDs: file)
    case .oneTokenPerLine: vocabulary = try TokenVocabulary(oneTokenPerLine: file)
    }
    specialTokens = SpecialTokens(
      unknown: vocabulary.id(of: "<UNKNOWN>"), padding: vocabulary.id(of: "<PAD>"),
      start: vocabulary.id(of: "<START>"))
    guard specialTokens.unknown != nil else {
      throw TokenizerError(vocabulary: "it has no token '<UNKNOWN>'")
    }
  }

  /// The number of ids.
  package var vocabularySize: Int { vocabulary.count }

  /// Returns the tokens of a text in UTF-8.
  package func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    var tokens: [Token] = []
    var start = 0
    for match in try delimiter.matches(in: text.span) {
      append(start..<match.lowerBound, of: text, to: &tokens)
      start = match.upperBound
    }
    append(start..<text.count, of: text, to: &tokens)
    return tokens
  }

  private func append(_ range: Range<Int>, of text: [UInt8], to tokens: inout [Token]) {
    guard !range.isEmpty else { return }
    let id = vocabulary.id(of: text[range]) ?? specialTokens.unknown ?? 0
    tokens.append(Token(id: id, range: range))
  }

  package func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? { vocabulary.bytes(of: id) }

  /// Returns the vocabulary's text of an id, or `nil` for an id without a token.
  package func text(of id: Int32) -> String? { vocabulary.text(of: id) }

  /// Returns the id of a token of the vocabulary, or `nil` if there is none.
  package func id(of token: String) -> Int32? { vocabulary.id(of: token) }

  /// The steps of decoding: words are separated by spaces.
  package var decodings: [TokenDecoding] { [.separated] }
}
