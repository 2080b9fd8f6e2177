/// A tokenizer of exchangeable steps: normalizations, splits into words, and the segmentation of words into tokens.
struct ComposedTokenizer: Tokenizer {
  let normalizations: [TextNormalization]
  /// The added tokens that are found after the normalization of a text.
  let normalizedTokens: AddedTokenMatcher?
  let splittings: [WordSplitting]
  let segmenter: any WordSegmenter
  let vocabulary: TokenVocabulary
  /// The token for unknown text, if there is one.
  let unknown: Int32?
  /// The tokens of the bytes of unknown text, if there are such tokens.
  let byteIDs: [Int32]?
  let decodings: [TokenDecoding]
  /// Whether characters stand for bytes in the vocabulary.
  let isByteLevel: Bool
  private let cache = SharedWordCache()

  init(
    normalizations: [TextNormalization], normalizedTokens: AddedTokenMatcher?,
    splittings: [WordSplitting], segmenter: any WordSegmenter,
    vocabulary: TokenVocabulary, unknown: Int32?, byteIDs: [Int32]?, decodings: [TokenDecoding]
  ) {
    self.normalizations = normalizations
    self.normalizedTokens = normalizedTokens
    self.splittings = splittings
    self.segmenter = segmenter
    self.vocabulary = vocabulary
    self.unknown = unknown
    self.byteIDs = byteIDs
    isByteLevel = splittings.contains { if case .bytes = $0 { true } else { false } }
    // Without a decoder, the reference separates characters that stand for bytes by spaces, which is no text.
    self.decodings =
      decodings.isEmpty ? [isByteLevel ? .utf8(isSpelled: true) : .separated] : decodings
  }

  var vocabularySize: Int { vocabulary.count }

  var specialTokens: SpecialTokens { SpecialTokens(unknown: unknown) }

  func tokenize(_ text: [UInt8]) throws(TokenizerError) -> [Token] {
    try tokenize(text, isAtStart: true)
  }

  /// Returns the tokens of a text.
  ///
  /// - Parameters:
  ///   - text: The text in UTF-8.
  ///   - isAtStart: Whether no other text is before it.
  /// - Returns: The tokens in order.
  /// - Throws: ``TokenizerError`` if the text is invalid or unsuitable.
  func tokenize(_ text: [UInt8], isAtStart: Bool) throws(TokenizerError) -> [Token] {
    try UTF8Text.validate(text)
    var normalized = AlignedText(text)
    for step in normalizations { try step.apply(to: &normalized) }
    let matches = normalizedTokens?.matches(in: normalized.bytes.span) ?? []
    guard !matches.isEmpty else { return try tokenize(normalized, isAtStart) }
    var tokens: [Token] = []
    var start = 0
    for (token, range) in matches {
      tokens += try tokenize(normalized.part(start..<range.lowerBound), isAtStart)
      tokens.append(Token(id: token.id, range: normalized.origin(of: range)))
      start = range.upperBound
    }
    return try tokens + tokenize(normalized.part(start..<normalized.bytes.count), isAtStart)
  }

  /// Returns the tokens of a normalized text.
  private func tokenize(
    _ text: AlignedText, _ isAtStart: Bool
  ) throws(TokenizerError) -> [Token] {
    guard !text.isEmpty else { return [] }
    var normalized = text
    var words = [0..<normalized.bytes.count]
    for step in splittings { try step.apply(to: &words, of: &normalized, isAtStart: isAtStart) }
    try UTF8Text.checkLength(normalized.bytes.count)
    var tokens: [Token] = []
    tokens.reserveCapacity(normalized.bytes.count / 4)
    let bytes = normalized.bytes.span
    let hasTokens = cache.withCache { cache in
      words.allSatisfy { append($0, of: normalized, bytes, &cache, to: &tokens) }
    }
    guard hasTokens else {
      throw TokenizerError(
        .unsuitableText(message: "it has text without a token, and there is none for unknown text"))
    }
    return tokens
  }

  /// Appends the tokens of a word; returns whether it has any.
  private func append(
    _ word: Range<Int>, of text: borrowing AlignedText, _ bytes: Span<UInt8>,
    _ cache: inout WordCache, to tokens: inout [Token]
  ) -> Bool {
    let isCached = word.count <= WordCache.maxWordBytes
    let hash = isCached ? WordCache.hash(word, in: bytes) : 0
    var start = word.lowerBound
    if isCached, let places = cache.places(of: word, in: bytes, hash: hash) {
      for place in places {
        let token = cache.tokens[place]
        let end = start + token.length
        tokens.append(Token(id: token.id, range: text.origin(of: start..<end)))
        start = end
      }
      return true
    }
    let segments = segmenter.segments(of: bytes.extracting(word))
    var isKnown = true
    var index = 0
    while index < segments.count {
      let first = segments[index]
      var end = start + first.length
      index += 1
      let isUnknown = first.id < 0 || first.id == unknown
      isKnown = isKnown && !isUnknown
      if isUnknown, segmenter.joinsUnknown {
        while index < segments.count, segments[index].id < 0 || segments[index].id == unknown {
          end += segments[index].length
          index += 1
        }
      }
      let range = text.origin(of: start..<end)
      if !isUnknown {
        tokens.append(Token(id: first.id, range: range))
      } else if first.id < 0, let byteIDs {
        for place in start..<end {
          tokens.append(Token(id: byteIDs[Int(bytes[place])], range: range))
        }
      } else if let unknown {
        tokens.append(Token(id: unknown, range: range))
      } else {
        return false
      }
      start = end
    }
    if isCached, isKnown {
      cache.insert(word, of: bytes, hash: hash, tokens: segments[...])
    }
    return true
  }

  func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? { vocabulary.bytes(of: id) }

  func text(of id: Int32) -> String? {
    guard isByteLevel, let token = vocabulary.bytes(of: id) else { return vocabulary.text(of: id) }
    var bytes: [UInt8] = []
    guard ByteAlphabet.append(token, to: &bytes) else { return vocabulary.text(of: id) }
    return String(decoding: bytes, as: UTF8.self)
  }

  func id(of token: String) -> Int32? {
    guard isByteLevel else { return vocabulary.id(of: token) }
    var spelled: [UInt8] = []
    for byte in token.utf8 { UTF8Text.append(ByteAlphabet.scalars[Int(byte)], to: &spelled) }
    return vocabulary.id(of: spelled)
  }
}
