/// The tokenizer of BERT: splits text into words, and words into the longest pieces of a vocabulary.
///
/// Text never becomes a special token: `[SEP]` in a text is three words.
///
/// ```swift
/// let tokenizer = try WordPieceTokenizer(vocabulary: bytes)
/// let ids = try tokenizer.tokenize("unaffable").map(\.id)  // un ##aff ##able
/// ```
package struct WordPieceTokenizer: Tokenizer {
  /// The settings of a tokenizer.
  package struct Settings: Sendable, Hashable {
    /// The normalization of text.
    package var normalization = BertNormalization()
    /// The maximum number of characters of a word; longer ones are unknown (TensorFlow: 200).
    package var maxWordLength = 100
    /// The beginning of pieces that continue a word.
    package var continuationPrefix = "##"
    /// The token of words without pieces.
    package var unknownToken = "[UNK]"

    /// Creates the settings of an uncased BERT.
    package init() {}
  }

  private let vocabulary: TokenVocabulary
  private let settings: Settings
  private let normalizer: BertNormalizer
  private let unknown: Int32
  /// The node after the continuation prefix.
  private let continuation: Int32
  private let segmenter: WordPieceSegmenter
  /// The tokens with a role.
  package let specialTokens: SpecialTokens

  /// Creates a tokenizer from a vocabulary file of one token a line.
  ///
  /// Of equal tokens, the last one counts. The special tokens are `[UNK]`, `[PAD]`, `[CLS]`, `[SEP]` and `[MASK]`.
  ///
  /// - Throws: ``TokenizerError`` if the vocabulary is too large, not UTF-8 or has no unknown token.
  package init(vocabulary file: [UInt8], settings: Settings = Settings()) throws(TokenizerError) {
    try self.init(try TokenVocabulary(oneTokenPerLine: file), settings)
  }

  init(_ vocabulary: TokenVocabulary, _ settings: Settings) throws(TokenizerError) {
    guard let unknown = vocabulary.id(of: settings.unknownToken) else {
      throw TokenizerError(vocabulary: "it has no token '\(settings.unknownToken)'")
    }
    guard settings.maxWordLength > 0 else {
      throw TokenizerError(
        .invalidSettings(message: "the maximum length of a word must be positive"))
    }
    self.vocabulary = vocabulary
    self.settings = settings
    self.unknown = unknown
    normalizer = BertNormalizer(settings.normalization)
    continuation = vocabulary.trie.node(of: settings.continuationPrefix.utf8)
    segmenter = WordPieceSegmenter(
      trie: vocabulary.trie, continuation: continuation, maxLength: settings.maxWordLength)
    specialTokens = SpecialTokens(
      unknown: unknown, padding: vocabulary.id(of: "[PAD]"), start: vocabulary.id(of: "[CLS]"),
      end: vocabulary.id(of: "[SEP]"), mask: vocabulary.id(of: "[MASK]"))
  }

  /// The number of ids.
  package var vocabularySize: Int { vocabulary.count }

  /// Returns the tokens of a text in UTF-8.
  package func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    var tokens: [Token] = []
    tokens.reserveCapacity(text.count / 4)
    let span = text.span
    // A closure that captures the tokenizer copies it for each word.
    let (segmenter, unknown) = (segmenter, unknown)
    normalizer.forEachWord(
      in: span, asciiBody: { append(asciiPieces: $0, of: span, to: &tokens) }
    ) { Self.append(pieces: $0, segmenter, unknown, to: &tokens) }
    return tokens
  }

  /// Appends the pieces of a word of ASCII, or the unknown token.
  private func append(
    asciiPieces word: Range<Int>, of text: Span<UInt8>, to tokens: inout [Token]
  ) {
    let first = tokens.count
    let trie = vocabulary.trie
    let bytes = normalizer.asciiBytes.span
    var start = word.count > settings.maxWordLength ? -1 : word.lowerBound
    while start >= 0, start < word.upperBound {
      var node = start == word.lowerBound ? ByteTrie.root : continuation
      var (end, id) = (-1, ByteTrie.none)
      var index = start
      while node != ByteTrie.none, index < word.upperBound {
        node = trie.child(of: node, bytes[Int(text[index])])
        index += 1
        if node != ByteTrie.none, trie.value(of: node) != ByteTrie.none {
          (end, id) = (index, trie.value(of: node))
        }
      }
      if end > 0 { tokens.append(Token(id: id, range: start..<end)) }
      start = end
    }
    guard start < 0 else { return }
    tokens.removeLast(tokens.count - first)
    tokens.append(Token(id: unknown, range: word))
  }

  /// Appends the pieces of a word, or the unknown token.
  private static func append(
    pieces word: borrowing NormalizedWord, _ segmenter: WordPieceSegmenter, _ unknown: Int32,
    to tokens: inout [Token]
  ) {
    var start = 0
    for segment in segmenter.segments(of: word.bytes.span) {
      let end = start + segment.length
      let origin = word.starts[start]
      let range = segment.id < 0 ? word.origin : origin..<max(word.ends[end - 1], origin)
      tokens.append(Token(id: segment.id < 0 ? unknown : segment.id, range: range))
      start = end
    }
  }

  package func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? { vocabulary.bytes(of: id) }

  /// Returns the vocabulary's text of an id, or `nil` for an id without a token.
  package func text(of id: Int32) -> String? { vocabulary.text(of: id) }

  /// Returns the id of a token of the vocabulary, or `nil` if there is none.
  package func id(of token: String) -> Int32? { vocabulary.id(of: token) }

  /// The steps of decoding: words are separated by spaces, and pieces of a word are joined.
  package var decodings: [TokenDecoding] {
    [.wordPieces(prefix: settings.continuationPrefix, removesSpaces: false)]
  }
}
