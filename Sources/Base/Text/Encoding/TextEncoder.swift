/// Encodes one or two texts as ids, mask and segments.
///
/// ```swift
/// var settings = TextEncoder.Settings()
/// settings.length = .fixed(128)
/// let encoder = try TextEncoder(tokenizer: tokenizer, settings: settings)
/// let encoded = try encoder.encode(question, context)
/// ```
package struct TextEncoder: Sendable {
  /// The length of encoded texts.
  package enum Length: Sendable, Hashable {
    /// Exactly this many ids: longer texts are truncated, shorter ones are padded.
    case fixed(Int)
    /// As many ids as the text has, truncated to a maximum; `nil` means no maximum.
    case free(max: Int?)
  }

  /// The text of a pair that is truncated.
  package enum Truncation: String, Sendable, Hashable {
    /// The longer one first, then both.
    case longestFirst
    /// Only the first one.
    case onlyFirst
    /// Only the second one, as for question answering.
    case onlySecond
  }

  /// A side of a sequence.
  package enum Side: String, Sendable, Hashable {
    case left, right
  }

  /// The settings of an encoder.
  package struct Settings: Sendable, Hashable {
    /// The length of encoded texts.
    package var length = Length.free(max: nil)
    /// The text of a pair that is truncated.
    package var truncation = Truncation.longestFirst
    /// The side where tokens of a long text are removed.
    package var truncationSide = Side.right
    /// The side where padding is added.
    package var paddingSide = Side.right
    /// The number of tokens that a window of a long text shares with the window before.
    package var stride = 0
    /// The arrangement of special tokens; `nil` means the usual one for the tokenizer's special tokens.
    package var template: EncodingTemplate?
    /// The id of padding; `nil` means the tokenizer's, or 0.
    package var paddingID: Int32?

    /// Creates settings that add special tokens and keep all of a text.
    package init() {}
  }

  /// The tokenizer.
  package let tokenizer: any Tokenizer
  /// The arrangement of special tokens.
  package let template: EncodingTemplate
  /// The settings.
  package let settings: Settings
  private let paddingID: Int32

  /// Creates an encoder.
  ///
  /// - Throws: ``TokenizerError`` if the length has no room for the special tokens and one token.
  package init(
    tokenizer: any Tokenizer, settings: Settings = Settings()
  ) throws(TokenizerError) {
    self.tokenizer = tokenizer
    self.settings = settings
    template = settings.template ?? tokenizer.standardTemplate
    paddingID = settings.paddingID ?? tokenizer.specialTokens.padding ?? 0
    guard settings.stride >= 0 else {
      throw TokenizerError(.invalidSettings(message: "the stride must not be negative"))
    }
    guard let maxLength else { return }
    let needed = template.single.count(where: \.isSpecial) + 1
    guard maxLength >= needed else {
      throw TokenizerError(
        .invalidSettings(message: "the length \(maxLength) is too short; at least \(needed) needed")
      )
    }
  }

  private var maxLength: Int? {
    switch settings.length {
    case .fixed(let length): length
    case .free(let max): max
    }
  }

  /// Returns the encoding of a text in UTF-8, truncated if it is too long.
  package func encode(_ text: [UInt8]) throws(TokenizerError) -> EncodedText {
    let tokens = try tokenizer.tokenize(text)
    let kept = truncated(tokens, to: try capacity(template.single))
    return assemble(template.single, kept, [], isTruncated: kept.count < tokens.count)
  }

  /// Returns the encoding of two texts in UTF-8, truncated if they are too long.
  ///
  /// - Throws: ``TokenizerError`` if a text is invalid, or the text that is not truncated leaves no room.
  package func encode(
    _ first: [UInt8], _ second: [UInt8]
  ) throws(TokenizerError) -> EncodedText {
    let capacity = try pairCapacity()
    let firstTokens = try tokenizer.tokenize(first)
    let secondTokens = try tokenizer.tokenize(second)
    let (firstCount, secondCount) = try lengths(firstTokens.count, secondTokens.count, capacity)
    let isTruncated = firstCount < firstTokens.count || secondCount < secondTokens.count
    return assemble(
      template.pair, truncated(firstTokens, to: firstCount),
      truncated(secondTokens, to: secondCount), isTruncated: isTruncated)
  }

  /// Returns the encodings of overlapping windows that contain all of a text.
  package func windows(_ text: [UInt8]) throws(TokenizerError) -> [EncodedText] {
    let tokens = try tokenizer.tokenize(text)
    let windows = try split(
      tokens, by: try capacity(template.single), stride: settings.stride)
    return windows.map { assemble(template.single, $0, [], isTruncated: windows.count > 1) }
  }

  /// Returns the encodings of a first text with overlapping windows that contain all of a second text.
  ///
  /// Windows share at most half of their tokens, even if the stride is larger.
  ///
  /// - Throws: ``TokenizerError`` if a text is invalid, or the first text leaves no room.
  package func windows(
    _ first: [UInt8], _ second: [UInt8]
  ) throws(TokenizerError) -> [EncodedText] {
    let capacity = try pairCapacity()
    let firstTokens = try tokenizer.tokenize(first)
    let secondTokens = try tokenizer.tokenize(second)
    let remaining = capacity == .max ? capacity : capacity - firstTokens.count
    let windows = try split(
      secondTokens, by: remaining, stride: min(settings.stride, max(remaining, 0) / 2))
    return windows.map {
      assemble(template.pair, firstTokens[...], $0, isTruncated: windows.count > 1)
    }
  }
}

extension TextEncoder {
  /// Returns the number of tokens of texts that fit.
  private func capacity(_ parts: [EncodingTemplate.Part]) throws(TokenizerError) -> Int {
    guard let maxLength else { return .max }
    return max(maxLength - parts.count(where: \.isSpecial), 0)
  }

  private func pairCapacity() throws(TokenizerError) -> Int {
    guard !template.pair.isEmpty else {
      throw TokenizerError(
        .invalidSettings(message: "the tokenizer does not encode pairs of texts"))
    }
    return try capacity(template.pair)
  }

  private func noRoom() -> TokenizerError {
    TokenizerError(
      .unsuitableText(message: "the text that is not truncated leaves no room for the other"))
  }

  private func truncated(_ tokens: [Token], to count: Int) -> ArraySlice<Token> {
    settings.truncationSide == .right ? tokens.prefix(count) : tokens.suffix(count)
  }

  /// Returns the numbers of tokens that remain of two texts.
  private func lengths(
    _ first: Int, _ second: Int, _ capacity: Int
  ) throws(TokenizerError) -> (Int, Int) {
    guard first + second > capacity else { return (first, second) }
    switch settings.truncation {
    case .onlyFirst:
      guard capacity > second else { throw noRoom() }
      return (capacity - second, second)
    case .onlySecond:
      guard capacity > first else { throw noRoom() }
      return (first, capacity - first)
    case .longestFirst:
      let shorter = min(first, second)
      let longer = shorter > capacity ? shorter : max(shorter, capacity - shorter)
      var kept = (shorter, longer)
      if shorter + longer > capacity { kept = (capacity / 2, capacity / 2 + capacity % 2) }
      return first > second ? (kept.1, kept.0) : kept
    }
  }

  private func split(
    _ tokens: [Token], by size: Int, stride: Int
  ) throws(TokenizerError) -> [ArraySlice<Token>] {
    guard tokens.count > size else { return [tokens[...]] }
    guard size > stride else {
      throw size <= 0
        ? noRoom()
        : TokenizerError(
          .unsuitableText(
            message: "the stride \(stride) is not less than the \(size) tokens that fit"))
    }
    var windows: [ArraySlice<Token>] = []
    var start = 0
    repeat {
      windows.append(tokens[start..<min(start + size, tokens.count)])
      start += size - stride
    } while windows.last?.endIndex ?? tokens.count < tokens.count
    return windows
  }

  private func assemble(
    _ parts: [EncodingTemplate.Part], _ first: ArraySlice<Token>, _ second: ArraySlice<Token>,
    isTruncated: Bool
  ) -> EncodedText {
    var encoded = EncodedText()
    encoded.isTruncated = isTruncated
    for part in parts {
      switch part {
      case .special(let id, let segment): encoded.append(id, segment: segment)
      case .text(let source, let segment):
        for token in source == .first ? first : second {
          encoded.append(token.id, segment: segment, range: token.range, source: source)
        }
      }
    }
    if case .fixed(let length) = settings.length {
      encoded.pad(to: length, with: paddingID, onLeft: settings.paddingSide == .left)
    }
    return encoded
  }
}
