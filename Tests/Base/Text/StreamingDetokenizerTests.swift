import Testing

@testable import TensorIOText

/// Tests of `StreamingDetokenizer` and of the bytes of tokens; `TokenizerGoldenTests` compares streams with decoded texts.
struct StreamingDetokenizerTests {
  /// A tokenizer of given tokens, of which the first one is special.
  private struct Pieces: Tokenizer {
    let pieces: [[UInt8]]
    let decodings: [TokenDecoding]

    init(_ pieces: [[UInt8]], _ decodings: [TokenDecoding]) {
      (self.pieces, self.decodings) = (pieces, decodings)
    }

    init(_ pieces: [String], _ decodings: [TokenDecoding]) {
      self.init(pieces.map { Array($0.utf8) }, decodings)
    }

    var vocabularySize: Int { pieces.count }
    var specialTokens: SpecialTokens { SpecialTokens(start: 0) }
    func tokenize(_ text: [UInt8]) -> [Token] { [] }
    func text(of id: Int32) -> String? { nil }
    func id(of token: String) -> Int32? { nil }

    func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? {
      pieces.indices.contains(Int(id)) ? pieces[Int(id)][...] : nil
    }

    /// Returns what a stream gives out for each token, and at the end.
    func stream(_ ids: [Int32], continuesText: Bool = false) -> [String] {
      var detokenizer = StreamingDetokenizer(self, continuesText: continuesText)
      return ids.map { detokenizer.append($0) } + [detokenizer.finish()]
    }
  }

  @Test(
    arguments: [
      ([[0xE6], [0x9D], [0xB1], [0xE4, 0xBA], [0xAC, 0x21]], ["", "", "東", "", "京!", ""]),
      ([[0xF0, 0x9F], [0x98]], ["", "", "\u{FFFD}"]),
      ([[0xF0, 0x9F, 0x98], [0x20, 0x61]], ["", "\u{FFFD} a", ""]),
      ([[0x9F], [0x80], [0x61]], ["\u{FFFD}", "\u{FFFD}", "a", ""]),
      ([[0xF0], [0x9F], [0xE6], [0x80], [0x7A]], ["", "", "\u{FFFD}", "", "\u{FFFD}z", ""]),
      ([[0xED], [0xA0], [0x80]], ["", "\u{FFFD}\u{FFFD}", "\u{FFFD}", ""]),
      ([[0xEF, 0xBF, 0xBD], [0x61]], ["\u{FFFD}", "a", ""]),
      ([[]], ["", ""]),
    ] as [([[UInt8]], [String])])
  func `A character is given out when it is complete`(pieces: [[UInt8]], expected: [String]) {
    let tokenizer = Pieces([[]] + pieces, [.utf8(isSpelled: false)])
    let ids = (1...Int32(pieces.count)).map(\.self)
    #expect(tokenizer.stream(ids) == expected)
    #expect(tokenizer.decode(ids) == expected.joined())
  }

  private static let llama: [TokenDecoding] = [
    .replaced("\u{2581}", by: " "), .byteFallback, .joined, .stripped(" ", start: 1, stop: 0),
  ]

  @Test func `Tokens of bytes become characters`() {
    let tokenizer = Pieces(["<s>", "\u{2581}a", "<0xC3>", "<0xA9>", "\u{2581}", "b"], Self.llama)
    #expect(tokenizer.stream([0, 1, 2, 3, 5]) == ["", "a", "", "é", "b", ""])
    #expect(tokenizer.stream([1, 2, 5, 2]) == ["a", "", "\u{FFFD}b", "", "\u{FFFD}"])
    #expect(tokenizer.stream([4, 4, 5]) == ["", " ", "b", ""])
    // All bytes of a run are replaced if one is invalid, except those of characters that were given out.
    #expect(tokenizer.decode([2, 3, 3, 5]) == "\u{FFFD}\u{FFFD}\u{FFFD}b")
    #expect(tokenizer.stream([2, 3, 3, 5]) == ["", "é", "\u{FFFD}", "b", ""])
  }

  @Test func `A text that continues another one keeps its first space`() {
    let tokenizer = Pieces(["<s>", "\u{2581}a", "\u{2581}b"], Self.llama)
    #expect(tokenizer.stream([1, 2], continuesText: true) == [" a", " b", ""])
    let metaspace = Pieces(tokenizer.pieces, [.spaceMark("\u{2581}", dropsFirst: true)])
    #expect(metaspace.stream([1, 2]) == ["a", " b", ""])
    #expect(metaspace.stream([1, 2], continuesText: true) == [" a", " b", ""])
    let words = Pieces(["", "a", "##b"], [.wordPieces(prefix: "##", removesSpaces: false)])
    #expect(words.stream([1, 2], continuesText: true) == [" a", "b", ""])
  }

  @Test func `A step that needs the whole text is applied at its end`() {
    let words = Pieces(["", "a</w>", "b"], [.wordEnds(suffix: "</w>")])
    #expect(words.stream([2, 1, 1]) == ["", "b", "a ", "a"])
    let replaced = Pieces(["", "a", "b"], [.joined, .replaced("ab", by: "c")])
    #expect(replaced.stream([1, 1, 2]) == ["", "", "", "ac"])
    let stripped = Pieces(["", " ", "b "], [.joined, .stripped(" ", start: 1, stop: 1)])
    #expect(stripped.stream([1, 2]) == ["", "", "b"])
    #expect(stripped.stream([1, 2], continuesText: true) == ["", "", " b"])
  }

  @Test func `The bytes of a token do not depend on others`() {
    let tokenizer = Pieces(["<s>", "\u{2581}a", "<0xC3>", "\u{2581}\u{2581}"], Self.llama)
    #expect(tokenizer.bytes(of: 1) == Array(" a".utf8))
    #expect(tokenizer.bytes(of: 2) == [0xC3])
    #expect(tokenizer.bytes(of: 3) == Array("  ".utf8))
    #expect(tokenizer.bytes(of: 0) == [])
    #expect(tokenizer.bytes(of: 0, skippingSpecialTokens: false) == Array("<s>".utf8))
    #expect(tokenizer.bytes(of: 4) == nil)
    let spelled = Pieces(["", "\u{120}\u{E6}\u{13F}", "\u{6771}"], [.utf8(isSpelled: true)])
    #expect(spelled.bytes(of: 1) == [0x20, 0xE6, 0x9D])
    #expect(spelled.bytes(of: 2) == Array("\u{6771}".utf8))
  }
}
