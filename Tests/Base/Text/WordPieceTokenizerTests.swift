import Testing

@testable import TensorIOText

/// Tests of `WordPieceTokenizer`.
struct WordPieceTokenizerTests {
  private static let tokens = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "affable", "a", "##b", ".", "e",
    "ss",
    "\u{4e2d}", "!", "A", "i\u{307}",
  ]
  private static let vocabulary = Array((tokens.joined(separator: "\n") + "\n").utf8)

  private func texts(
    _ text: String, _ settings: WordPieceTokenizer.Settings = .init()
  ) throws -> [String] {
    let tokenizer = try WordPieceTokenizer(vocabulary: Self.vocabulary, settings: settings)
    return try tokenizer.tokenize(text).compactMap { tokenizer.text(of: $0.id) }
  }

  @Test func `Words become the longest pieces`() throws {
    #expect(try texts("Unaffable ab. abc") == ["un", "##aff", "##able", "a", "##b", ".", "[UNK]"])
  }

  @Test func `Accents are removed and Chinese characters separated`() throws {
    #expect(try texts("\u{e9}\u{4e2d}e\u{301}\u{0}") == ["e", "\u{4e2d}", "e"])
  }

  @Test func `Control characters do not end a word`() throws {
    #expect(try texts("a\u{B}b\u{1}.\tun\u{C}aff") == ["a", "##b", ".", "un", "##aff"])
  }

  @Test func `A cased vocabulary keeps case and accents`() throws {
    var settings = WordPieceTokenizer.Settings()
    settings.normalization = .cased
    #expect(try texts("A \u{e9} a", settings) == ["A", "[UNK]", "a"])
  }

  @Test func `Ranges refer to the original text`() throws {
    let tokenizer = try WordPieceTokenizer(vocabulary: Self.vocabulary)
    let tokens = try tokenizer.tokenize("\u{c9} UN\u{301}affable\u{4e2d}!")
    #expect(tokens.map(\.range) == [0..<2, 3..<5, 7..<10, 10..<14, 14..<17, 17..<18])
  }

  @Test func `Special tokens in a text are text`() throws {
    let tokenizer = try WordPieceTokenizer(vocabulary: Self.vocabulary)
    let ids = try tokenizer.tokenize("[CLS]").map(\.id)
    #expect(ids == [1, 1, 1])
  }

  @Test func `Words that are too long are unknown`() throws {
    var settings = WordPieceTokenizer.Settings()
    settings.maxWordLength = 2
    #expect(try texts("ab abb", settings) == ["a", "##b", "[UNK]"])
    settings.maxWordLength = 0
    #expect(throws: TokenizerError.self) { try texts("a", settings) }
  }

  @Test(arguments: ["", " \t\n\u{3000}", "\u{0}\u{200b}\u{fffd}\u{301}"])
  func `A text without words has no tokens`(text: String) throws {
    #expect(try texts(text).isEmpty)
  }

  @Test func `A megabyte without a space is one unknown token`() throws {
    let tokenizer = try WordPieceTokenizer(vocabulary: Self.vocabulary)
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    #expect(try tokenizer.tokenize(text) == [Token(id: 1, range: 0..<(1 << 20))])
  }

  @Test func `Of equal tokens the last one counts`() throws {
    let tokenizer = try WordPieceTokenizer(vocabulary: Array("[UNK]\na\nb\na\n".utf8))
    #expect(try tokenizer.tokenize("a").map(\.id) == [3])
    #expect(tokenizer.text(of: 1) == "a")
    #expect(tokenizer.id(of: "[CLS]") == nil)
  }

  @Test func `Pieces are joined`() throws {
    let tokenizer = try WordPieceTokenizer(vocabulary: Self.vocabulary)
    #expect(tokenizer.decode([2, 4, 5, 6, 8, 99, -1, 3]) == "unaffable a")
    #expect(tokenizer.decode([2, 8], skippingSpecialTokens: false) == "[CLS] a")
  }

  @Test func `A vocabulary that cannot be used is rejected`() {
    #expect(throws: TokenizerError.self) { try WordPieceTokenizer(vocabulary: []) }
    #expect(throws: TokenizerError.self) { try WordPieceTokenizer(vocabulary: Array("a\nb".utf8)) }
    #expect(throws: TokenizerError.self) {
      try WordPieceTokenizer(vocabulary: [UInt8](repeating: 10, count: 2_000_001))
    }
    #expect(throws: TokenizerError.self) {
      try WordPieceTokenizer(vocabulary: [UInt8](repeating: 97, count: 64 << 20 + 1))
    }
  }
}
