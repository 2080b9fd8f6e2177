import Testing

@testable import TensorIOText

/// Tests of `ByteLevelBPETokenizer`.
struct ByteLevelBPETokenizerTests {
  private func words(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var words: [String] = []
    ByteLevelWords.forEach(in: bytes.span) {
      words.append(String(decoding: bytes[$0], as: UTF8.self))
    }
    return words
  }

  @Test func `Words follow the pattern of GPT-2`() {
    #expect(words("I'll don't 'RE") == ["I", "'ll", " don", "'t", " '", "RE"])
    #expect(words("a  b\n\n c \t") == ["a", " ", " b", "\n\n", " c", " \t"])
    #expect(words("x86_64 \u{e9}\u{301}") == ["x", "86", "_", "64", " \u{e9}", "\u{301}"])
    #expect(words("\n\u{3000}a") == ["\n", "\u{3000}", "a"])
    #expect(words("").isEmpty)
  }

  /// A vocabulary of all bytes and of merges of letters.
  private static func vocabulary(_ merged: [String]) -> [UInt8] {
    var characters: [String] = []
    var next: UInt32 = 0x100
    for byte in UInt32(0)..<256 {
      let isPrintable = (0x21...0x7E).contains(byte) || byte > 0xA0 && byte != 0xAD
      let value = isPrintable ? byte : next
      if !isPrintable { next += 1 }
      characters.append(Unicode.Scalar(value).map { String(Character($0)) } ?? "")
    }
    let entries = (characters + merged).enumerated().map { index, token in
      let escaped = token == "\"" || token == "\\" ? "\\" + token : token
      return "\"\(escaped)\": \(index)"
    }
    return Array("{\(entries.joined(separator: ", "))}".utf8)
  }

  private func tokenizer(
    _ merged: [String], _ merges: String, _ settings: ByteLevelBPETokenizer.Settings = .init()
  ) throws -> ByteLevelBPETokenizer {
    try ByteLevelBPETokenizer(
      vocabulary: Self.vocabulary(merged), merges: Array(merges.utf8), settings: settings)
  }

  @Test func `Merges of lower rank come first`() throws {
    let tokenizer = try tokenizer(["bc", "ab", "abc"], "#version: 0.2\nb c\na b\na bc\n")
    #expect(try tokenizer.tokenize("abc ab").map(\.id) == [258, 32, 257])
    #expect(try tokenizer.tokenize("abc").map(\.range) == [0..<3])
    #expect(tokenizer.id(of: "ab") == 257)
    #expect(tokenizer.text(of: 32) == " ")
  }

  @Test func `Long words merge as short ones do`() throws {
    let tokenizer = try tokenizer(["aa", "aaaa", "ba"], "a a\naa aa\nb a\n")
    let ids = try tokenizer.tokenize(String(repeating: "aaaab", count: 100)).map(\.id)
    #expect(ids.count == 200)
    #expect(Set(ids) == [257, 98])
    let odd = try tokenizer.tokenize(String(repeating: "a", count: 10_007)).map(\.id)
    #expect(odd == [Int32](repeating: 257, count: 2501) + [256, 97])
  }

  @Test func `A megabyte without a space is tokenized`() throws {
    let tokenizer = try tokenizer(["ab", "abab"], "a b\nab ab\n")
    let tokens = try tokenizer.tokenize([UInt8](repeating: 97, count: 1 << 18))
    #expect(tokens.count == 1 << 18)
  }

  @Test func `Ranges are of whole characters`() throws {
    let tokens = try tokenizer([], "").tokenize("a\u{e9}")
    #expect(tokens.map(\.range) == [0..<1, 1..<3, 1..<3])
  }

  @Test func `A space added before the text has the range of the first character`() throws {
    var settings = ByteLevelBPETokenizer.Settings()
    settings.addsPrefixSpace = true
    let tokens = try tokenizer([], "", settings).tokenize("a b")
    #expect(tokens.map(\.range) == [0..<1, 0..<1, 1..<2, 2..<3])
    #expect(try tokenizer([], "", settings).tokenize("").isEmpty)
  }

  @Test func `Words seen again have the same tokens`() throws {
    let tokenizer = try tokenizer(["ab"], "a b\n")
    let first = try tokenizer.tokenize("ab abb")
    #expect(try tokenizer.tokenize("ab abb") == first)
  }

  @Test func `A vocabulary that cannot be used is rejected`() {
    #expect(throws: TokenizerError.self) {
      try ByteLevelBPETokenizer(vocabulary: Array("{\"a\": 0}".utf8), merges: [])
    }
    #expect(throws: TokenizerError.self) {
      try ByteLevelBPETokenizer(vocabulary: Array("{\"a\": 0, \"a\": 1}".utf8), merges: [])
    }
    #expect(throws: TokenizerError.self) { try tokenizer([], "a b") }
    #expect(throws: TokenizerError.self) { try tokenizer(["ab"], "a b c") }
    #expect(throws: TokenizerError.self) { try tokenizer(["ab"], "ab") }
    #expect(throws: TokenizerError(.invalidUTF8(offset: 1))) {
      try tokenizer([], "").tokenize([97, 0xFF])
    }
  }
}
