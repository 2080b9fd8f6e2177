@testable import TensorIOText

/// Readers of tokenizer files and of text.
enum TextReaders {
  private static let texts: [[UInt8]] = [
    Array("ab abc I'll caf\u{e9}  1,234\n".utf8),
    Array("e\u{301}\u{FF21}\u{200B} \u{4E2D}\u{1F600}<s>[SEP] ".utf8),
    [UInt8](repeating: UInt8(ascii: "a"), count: 300),
    [],
  ]

  /// The tokens of every vocabulary are in range.
  static func vocabulary(_ bytes: [UInt8]) throws(PropertyViolation) {
    for format in [RegexTokenizer.VocabularyFormat.oneTokenPerLine, .tokensWithIDs] {
      let tokenizer = unlessRejected {
        try RegexTokenizer(delimiter: "[^\\w']+", vocabulary: bytes, format: format)
      }
      if let tokenizer { try check(tokenizer) }
    }
    if let tokenizer = unlessRejected({ try WordPieceTokenizer(vocabulary: bytes) }) {
      try check(tokenizer)
    }
  }

  /// The tokens of a SentencePiece model are in range.
  static func sentencePiece(_ bytes: [UInt8]) throws(PropertyViolation) {
    if let tokenizer = unlessRejected({ try SentencePieceTokenizer(model: bytes) }) {
      try check(tokenizer)
    }
  }

  /// The tokens of a `tokenizer.json` are in range, and so are those that its encoder adds.
  static func tokenizer(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let tokenizer = unlessRejected({ try TokenizerFile.tokenizer(bytes) }) else { return }
    try check(tokenizer)
    var settings = TextEncoder.Settings()
    settings.length = .fixed(16)
    guard
      let encoder = unlessRejected({ try TextEncoder(tokenizer: tokenizer, settings: settings) })
    else { return }
    for text in texts {
      if let encoded = unlessRejected({ try encoder.encode(text) }) {
        try verify(encoded.count == 16, "an encoded text has a wrong length")
      }
      if let pair = unlessRejected({ try encoder.encode(text, texts[0]) }) {
        try verify(pair.mask.count == pair.ids.count, "an encoded pair lacks a mask")
      }
    }
  }

  /// Matches of a delimiter pattern do not overlap, and their number is limited by the text.
  static func pattern(_ bytes: [UInt8]) throws(PropertyViolation) {
    let pattern = String(decoding: bytes, as: UTF8.self)
    for dialect in [PatternDialect.re2, .oniguruma] {
      guard
        let matcher = unlessRejected({ try PatternMatcher(pattern: pattern, dialect: dialect) })
      else { continue }
      for text in texts {
        guard let matches = unlessRejected({ try matcher.matches(in: text.span) }) else { continue }
        var end = 0
        for match in matches {
          try verify(
            match.lowerBound >= end && !match.isEmpty && match.upperBound <= text.count,
            "a match overlaps another")
          end = match.upperBound
        }
      }
    }
  }

  /// A text is rejected exactly if it is not UTF-8; its tokens are in range.
  static func text(_ bytes: [UInt8]) throws(PropertyViolation) {
    let vocabulary = Array("[UNK]\n<UNKNOWN>\na\n##a\ne\n'\n.\n".utf8)
    let tokenizers: [(any Tokenizer)?] = [
      unlessRejected { try WordPieceTokenizer(vocabulary: vocabulary) },
      unlessRejected { try RegexTokenizer(delimiter: "\\W+", vocabulary: vocabulary) },
    ]
    let isValid = String(validating: bytes, as: UTF8.self) != nil
    for case let tokenizer? in tokenizers {
      let tokens = unlessRejected { try tokenizer.tokenize(bytes) }
      try verify((tokens != nil) == isValid, "the validity of a text is wrong")
      try check(tokens ?? [], of: tokenizer, count: bytes.count)
    }
  }

  private static func check(_ tokenizer: any Tokenizer) throws(PropertyViolation) {
    for text in texts {
      guard let tokens = unlessRejected({ try tokenizer.tokenize(text) }) else { continue }
      try check(tokens, of: tokenizer, count: text.count)
      var stream = StreamingDetokenizer(tokenizer)
      let text = tokens.map { stream.append($0.id) }.joined() + stream.finish()
      // Where the bytes of a token are no text, a stream gives out the characters before them.
      let decoded = tokenizer.decode(tokens.map(\.id))
      try verify(text == decoded || decoded.contains("\u{FFFD}"), "a stream differs from its text")
    }
  }

  private static func check(
    _ tokens: [Token], of tokenizer: any Tokenizer, count: Int
  ) throws(PropertyViolation) {
    for token in tokens {
      try verify(
        token.id >= 0 && token.id < tokenizer.vocabularySize, "the id of a token is out of range")
      try verify(
        token.range.lowerBound >= 0 && token.range.upperBound <= count,
        "the range of a token is out of bounds")
    }
  }
}
