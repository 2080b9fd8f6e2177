/// The tokenizer of GPT-2 and RoBERTa: byte-pair encoding of words over an alphabet of all bytes.
///
/// Every text can be encoded. Text never becomes a special token.
///
/// ```swift
/// let tokenizer = try ByteLevelBPETokenizer(vocabulary: vocabularyJSON, merges: mergesText)
/// let ids = try tokenizer.tokenize("Hello world").map(\.id)  // Hello Ġworld
/// ```
package struct ByteLevelBPETokenizer: Tokenizer {
  /// The settings of a tokenizer.
  package struct Settings: Sendable, Hashable {
    /// Whether a text that does not begin with a space is encoded as if it did.
    package var addsPrefixSpace = false
    /// Whether a word that is a token is not built by merges.
    package var ignoresMerges = false
    /// Whether text is split into words at all.
    package var splitsWords = true
    /// The special tokens; `nil` means those of RoBERTa if the vocabulary has them.
    package var specialTokens: SpecialTokens?

    /// Creates the settings of GPT-2.
    package init() {}
  }

  let model: ByteLevelModel
  private let settings: Settings
  private let cache = SharedWordCache()
  /// The tokens with a role.
  package let specialTokens: SpecialTokens

  /// Creates a tokenizer from a `vocab.json` and a `merges.txt`.
  ///
  /// - Throws: ``TokenizerError`` if a file is too large or malformed, or a merge has a token that is not in the
  ///   vocabulary.
  package init(
    vocabulary: [UInt8], merges: [UInt8], settings: Settings = Settings()
  ) throws(TokenizerError) {
    let tokens = try TokenizerJSON.vocabulary(file: vocabulary)
    let model = try ByteLevelModel(tokens: tokens, merges: try MergePairs(file: merges))
    self.init(model, settings)
  }

  init(_ model: ByteLevelModel, _ settings: Settings) {
    self.model = model
    self.settings = settings
    specialTokens =
      settings.specialTokens
      ?? SpecialTokens(
        unknown: model.id(of: "<unk>"), padding: model.id(of: "<pad>"), start: model.id(of: "<s>"),
        end: model.id(of: "</s>"), mask: model.id(of: "<mask>"))
  }

  /// The number of ids.
  package var vocabularySize: Int { model.vocabularySize }

  /// The arrangement of special tokens: that of RoBERTa if there are start and end tokens.
  package var standardTemplate: EncodingTemplate {
    guard let start = specialTokens.start, let end = specialTokens.end else {
      return .standard(for: specialTokens)
    }
    return .roberta(start: start, separator: end)
  }

  /// Returns the tokens of a text in UTF-8.
  package func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    let needsSpace = settings.addsPrefixSpace && !text.isEmpty && text[0] != UInt8(ascii: " ")
    let bytes = needsSpace ? [UInt8(ascii: " ")] + text : text
    var tokens: [Token] = []
    tokens.reserveCapacity(text.count / 4)
    cache.withCache { cache in
      var merger = WordMerger()
      let span = bytes.span
      if settings.splitsWords {
        ByteLevelWords.forEach(in: span) { append($0, of: span, &cache, &merger, to: &tokens) }
      } else {
        append(0..<bytes.count, of: span, &cache, &merger, to: &tokens)
      }
    }
    let ranges = ByteLevelRanges(text: bytes, shift: needsSpace ? 1 : 0)
    if ranges.areChanged {
      for index in tokens.indices {
        tokens[index] = Token(id: tokens[index].id, range: ranges.range(tokens[index].range))
      }
    }
    return tokens
  }

  @inline(__always)
  private func append(
    _ word: Range<Int>, of text: Span<UInt8>, _ cache: inout WordCache,
    _ merger: inout WordMerger, to tokens: inout [Token]
  ) {
    let isCached = word.count <= WordCache.maxWordBytes
    let hash = isCached ? WordCache.hash(word, in: text) : 0
    var start = word.lowerBound
    if isCached, let places = cache.places(of: word, in: text, hash: hash) {
      for place in places {
        let token = cache.tokens[place]
        let end = start + token.length
        tokens.append(Token(id: token.id, range: start..<end))
        start = end
      }
      return
    }
    encode(word, of: text, &merger)
    if isCached {
      cache.insert(word, of: text, hash: hash, tokens: merger.tokens[...])
    }
    for token in merger.tokens {
      let end = start + token.length
      tokens.append(Token(id: token.id, range: start..<end))
      start = end
    }
  }

  /// Leaves the tokens of a word in the merger.
  private func encode(_ word: Range<Int>, of text: Span<UInt8>, _ merger: inout WordMerger) {
    merger.removeAll()
    if settings.ignoresMerges, let id = model.id(of: word, in: text) {
      merger.append(id, length: word.count)
      return
    }
    for index in word { merger.append(model.byteIDs[Int(text[index])], length: 1) }
    merger.merge(by: model.merges)
  }

  /// The steps of decoding: the bytes of tokens are those of the text.
  package var decodings: [TokenDecoding] { [.utf8(isSpelled: false)] }

  package func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? { model.bytes(of: id) }

  /// Returns the vocabulary's text of an id, or `nil` for an id without a token.
  ///
  /// A token that is not whole characters has replacement characters.
  package func text(of id: Int32) -> String? {
    model.bytes(of: id).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the id of a token, with spaces as spaces, or `nil` if there is none.
  package func id(of token: String) -> Int32? { model.id(of: token) }
}
