@testable import TensorIOText

/// A vocabulary of given pieces for tests of constraints: all bytes, some words, and the end of a text as the last token.
struct PieceVocabulary: Tokenizer {
  /// Single bytes, words that tokenizers have, and pieces that begin or end within characters.
  static let usual = PieceVocabulary(
    (UInt8.min...UInt8.max).map { [$0] }
      + [
        "{\"", "\":", "\": ", "\",", "\", \"", "},", "}}", "]}", "[[", "[{\"", "true", "false",
        " null", "null",
        "10", "123", "0.", "e+", "-1", "the", " the", "name", "name\": \"", "\\n", "\\\"", "\\u00",
        "ab", "abc", "\u{e9}t\u{e9}", "\u{1F600}", "2024-", "-01", "\"a", "a\"", "  ", "\n",
      ].map { Array($0.utf8) }
      + [
        [0xC3], [0x41, 0xC3], [0xA9, 0x22], [0xE2, 0x82], [0xAC, 0x61], [0xF0, 0x9F, 0x98],
        [0x80, 0xC3],
      ]
  )

  let pieces: [[UInt8]]
  let decodings: [TokenDecoding] = [.utf8(isSpelled: false)]

  init(_ pieces: [[UInt8]]) { self.pieces = pieces + [Array("<end>".utf8)] }

  var end: Int32 { Int32(pieces.count - 1) }
  var vocabularySize: Int { pieces.count }
  var specialTokens: SpecialTokens { SpecialTokens() }
  func tokenize(_ text: [UInt8]) -> [Token] { [] }
  func text(of id: Int32) -> String? { nil }
  func id(of token: String) -> Int32? { nil }
  func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? {
    pieces.indices.contains(Int(id)) ? pieces[Int(id)][...] : nil
  }

  /// Returns a constraint at the beginning of a text.
  func constraint(
    _ grammar: (_ lookahead: Int) throws -> ByteGrammar
  ) throws -> TokenConstraint {
    let tokens = try TokenBytes(of: self, excluding: [end])
    return try TokenConstraint(grammar(tokens.maxLength), tokens: tokens, endTokens: [end])
  }
}

extension TokenConstraint {
  /// Whether the constraint allows a text, which is added byte by byte, each of which the mask has to allow as well.
  mutating func allows(_ text: String) throws -> Bool {
    try restart()
    for byte in text.utf8 {
      guard try mask().contains(Int32(byte)) else { return false }
      try append(Int32(byte))
    }
    return isFulfilled
  }

  /// Returns the bytes of a text of random tokens, which ends when it can after some of them.
  mutating func randomText(
    of vocabulary: PieceVocabulary, length: Int, _ generator: inout some RandomNumberGenerator
  ) throws -> [UInt8]? {
    var text: [UInt8] = []
    for count in 0..<100 * length {
      let mask = try mask()
      let isEnd = mask.contains(vocabulary.end)
      guard isEnd == isFulfilled else { return nil }
      if isComplete || isEnd && count >= length { return text }
      let allowed = (0..<vocabulary.end).filter(mask.contains)
      // Signs that end something are preferred when the text is long.
      let closing = allowed.filter { id in
        count > length && vocabulary.pieces[Int(id)].count == 1
          && "\"]}0".utf8.contains(vocabulary.pieces[Int(id)][0])
      }
      guard let id = (closing.isEmpty ? allowed : closing).randomElement(using: &generator)
      else { return isEnd ? text : nil }
      text += vocabulary.pieces[Int(id)]
      try append(id)
    }
    return nil
  }
}
