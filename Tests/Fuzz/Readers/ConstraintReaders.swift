@testable import TensorIOText

/// Readers of the constraints of generated texts.
enum ConstraintReaders {
  /// A vocabulary of all bytes and some longer tokens; the last one ends a text.
  private struct Vocabulary: Tokenizer {
    static let words = ["{\"", "\": ", "\",", "true", "ab", "12", "\u{e9}", "]}", "</s>"]
    static let end = Int32(256 + words.count - 1)

    let decodings: [TokenDecoding] = [.utf8(isSpelled: false)]
    var vocabularySize: Int { Int(Self.end) + 1 }
    var specialTokens: SpecialTokens { SpecialTokens() }
    func tokenize(_ text: [UInt8]) -> [Token] { [] }
    func text(of id: Int32) -> String? { nil }
    func id(of token: String) -> Int32? { nil }
    func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? {
      id < 256 ? [UInt8(id)] : Array(Self.words[Int(id) - 256].utf8)[...]
    }
  }

  private static let tokens = unlessRejected {
    try TokenBytes(of: Vocabulary(), excluding: [Vocabulary.end])
  }

  /// A text of a schema or a pattern can be continued until it ends, and is UTF-8.
  static func constraint(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let tokens else { return }
    let text = String(decoding: bytes, as: UTF8.self)
    let grammars = [
      unlessRejected { try ByteGrammar(schema: text, lookahead: tokens.maxLength) },
      unlessRejected { try ByteGrammar(pattern: text, lookahead: tokens.maxLength) },
    ]
    for case let grammar? in grammars { try write(grammar, tokens, seed: bytes) }
  }

  private static func write(
    _ grammar: ByteGrammar, _ tokens: TokenBytes, seed: [UInt8]
  ) throws(PropertyViolation) {
    let end = Vocabulary.end
    guard
      var constraint = unlessRejected({
        try TokenConstraint(grammar, tokens: tokens, endTokens: [end])
      })
    else { return }
    var written: [UInt8] = []
    for step in 0..<60 where !constraint.isComplete {
      let mask: TokenMask
      do throws(ConstraintError) {
        mask = try constraint.mask()
      } catch {
        // Each byte is a token, so that every text can be continued.
        try verify(error != .noToken, "a text cannot be continued")
        return
      }
      try verify(mask.contains(end) == constraint.isFulfilled, "the end of a text is wrong")
      let allowed = (0..<end).filter(mask.contains)
      guard !allowed.isEmpty else { break }
      let id = allowed[(step &+ Int(seed.isEmpty ? 0 : seed[step % seed.count])) % allowed.count]
      written += tokens.bytes(of: id)
      guard unlessRejected({ try constraint.append(id) }) != nil else { return }
    }
    if constraint.isFulfilled {
      try verify(String(validating: written, as: UTF8.self) != nil, "a text is not UTF-8")
    }
  }
}
