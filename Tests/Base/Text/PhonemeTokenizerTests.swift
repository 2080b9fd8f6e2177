import Testing

@testable import TensorIOText

/// The ids of phonemes.
@Suite struct PhonemeTokenizerTests {
  private static let file = Array(
    #"{"_": [0], "^": [1], "$": [2], "a": 3, "ˈ": [4, 5], "\u0308": 6, "ü": 7, "ab": 9}"#.utf8)

  @Test func `Symbols have ids, others are left out, and combined ones are decomposed`() throws {
    let tokenizer = try PhonemeTokenizer(vocabulary: Self.file)
    #expect(try tokenizer.tokenize("ˈa x").map(\.id) == [4, 5, 3])
    #expect(try tokenizer.tokenize("äüe\u{308}").map(\.id) == [3, 6, 7, 6])
    let tokens = try tokenizer.tokenize("xˈa")
    #expect(tokens.map(\.range) == [1..<3, 1..<3, 3..<4])
    #expect(tokenizer.vocabularySize == 10)
    #expect(tokenizer.id(of: "ˈ") == 4 && tokenizer.id(of: "ab") == nil)
    #expect(tokenizer.decode([3, 4, 99]) == "aˈ")
  }

  @Test func `A symbol can be between all others`() throws {
    let tokenizer = try PhonemeTokenizer(vocabulary: Self.file, between: "_")
    #expect(try tokenizer.tokenize("aˈ").map(\.id) == [0, 3, 0, 4, 5, 0])
    #expect(try tokenizer.tokenize("").map(\.id) == [0])
    let encoded = try TextEncoder(
      tokenizer: tokenizer, settings: .init()
    ).encode(Array("a".utf8))
    #expect(encoded.ids == [0, 3, 0], "a bundle names the symbols at both ends")
  }

  @Test func `Missing symbols are counted`() throws {
    let tokenizer = try PhonemeTokenizer(vocabulary: Self.file)
    var missing: Set<Unicode.Scalar> = []
    #expect(tokenizer.symbolCount(of: "aˈxyä", missing: &missing) == 4)
    #expect(missing == ["x", "y"])
    #expect(PhonemeTokenizer.isDecomposed("ä") && !PhonemeTokenizer.isDecomposed("aˈ"))
  }

  @Test(arguments: [
    "", "[]", "{}", #"{"a": "b"}"#, #"{"a": []}"#, #"{"a": -1}"#, #"{"a": 65536}"#, #"{"a": 1.5}"#,
    #"{"a": [1, null]}"#,
  ])
  func `A vocabulary that is none is an error`(_ text: String) {
    #expect(throws: TokenizerError.self) {
      try PhonemeTokenizer(vocabulary: Array(text.utf8))
    }
    #expect(throws: TokenizerError.self) {
      try PhonemeTokenizer(vocabulary: Self.file, between: "missing")
    }
  }
}
