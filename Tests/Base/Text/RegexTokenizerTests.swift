import Testing

@testable import TensorIOText

/// Tests of `RegexTokenizer`.
struct RegexTokenizerTests {
  private static let vocabulary = Array(
    "<PAD> 0\n<START> 1\n<UNKNOWN> 2\nthe 4\nit's 5\nnew york 6\na\u{2028}b 7\nwaste 9\n".utf8)

  @Test func `Text is split at delimiters`() throws {
    let tokenizer = try RegexTokenizer(delimiter: "[^\\w']+", vocabulary: Self.vocabulary)
    let tokens = try tokenizer.tokenize("  the WASTE, it's waste.")
    #expect(tokens.map(\.id) == [4, 2, 5, 9])
    #expect(tokens.map(\.range) == [2..<5, 6..<11, 13..<17, 18..<23])
    #expect(
      tokenizer.specialTokens == SpecialTokens(unknown: 2, padding: 0, start: 1))
    #expect(tokenizer.vocabularySize == 10)
    #expect(tokenizer.decode([1, 4, 9, 8, 0]) == "the waste")
  }

  @Test func `Tokens may contain spaces and line breaks of Unicode`() throws {
    let tokenizer = try RegexTokenizer(delimiter: ",", vocabulary: Self.vocabulary)
    #expect(try tokenizer.tokenize("new york,a\u{2028}b").map(\.id) == [6, 7])
  }

  @Test func `Lines without ids are numbered`() throws {
    let tokenizer = try RegexTokenizer(
      delimiter: "\\s+", vocabulary: Array("<PAD>\r\n<UNKNOWN>\r\nb\r\nb\r\n".utf8))
    #expect(try tokenizer.tokenize("a b").map(\.id) == [1, 3])
    #expect(tokenizer.text(of: 2) == "b")
  }

  @Test(arguments: [
    "", "   ", "\u{0}", "\n",
  ])
  func `A text of delimiters has no tokens`(text: String) throws {
    let tokenizer = try RegexTokenizer(delimiter: "\\W+", vocabulary: Self.vocabulary)
    #expect(try tokenizer.tokenize(text).isEmpty)
  }

  @Test(
    arguments: [
      ("[^\\w\\']+", "it's  a--b", [4..<6, 7..<9]),
      ("\\s|-", "a  b-c", [1..<2, 2..<3, 4..<5]),
      ("ab|a", "aab", [0..<1, 1..<3]),
      ("a|ab", "aab", [0..<1, 1..<2]),
      ("x(?:yz)*", "xyzyzy x", [0..<5, 7..<8]),
      ("x(yz?)+w", "xyyzw xyz", [0..<5]),
      ("[a-c]x?", "bxdc", [0..<2, 3..<4]),
      (".é", "aéb\né", [0..<3]),
      ("[]-]", "a]b-", [1..<2, 3..<4]),
      ("[^\u{4e00}-\u{9fff}]+", "a\u{4e01}bc", [0..<1, 4..<6]),
      ("\\D+", "1ab2", [1..<3]),
    ] as [(String, String, [Range<Int>])])
  func `A pattern matches as in RE2`(
    pattern: String, text: String, expected: [Range<Int>]
  ) throws {
    let matcher = try PatternMatcher(pattern: pattern, dialect: .re2)
    #expect(try matcher.matches(in: Array(text.utf8).span) == expected)
  }

  @Test(arguments: [
    ("", 0), ("a*", 0), ("a|b?", 0), ("(a", 2), ("a)", 1), ("[a", 2), ("a{2}", 1), ("^a", 0),
    ("a$", 1), ("\\bx", 1), ("\\p{L}", 1), ("(?=a)b", 2), ("a+?", 2), ("(a*)*b", 4),
    ("[[:alpha:]]", 1), ("[b-a]", 4), ("\\", 1), ("+", 0),
  ])
  func `An unsupported pattern is rejected`(pattern: String, offset: Int) {
    let error = #expect(throws: TokenizerError.self) {
      try PatternMatcher(pattern: pattern, dialect: .re2)
    }
    guard case .invalidPattern(_, offset: let found)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found == offset)
  }

  @Test func `A pattern with repeated lookahead is rejected for long texts`() throws {
    let matcher = try PatternMatcher(pattern: "ab|a[^c]*c", dialect: .re2)
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 20_000)
    #expect(try matcher.matches(in: text.span).isEmpty)
    let long = try PatternMatcher(pattern: "a[^c]*c|a", dialect: .re2)
    #expect(throws: TokenizerError.self) { try long.matches(in: text.span) }
  }

  @Test(arguments: [
    "", "a 1\n", "<UNKNOWN> 0\nb x\n", "<UNKNOWN> 4000000\n", "<UNKNOWN> -1\n", " 5\n", "<UNKNOWN>",
  ])
  func `A vocabulary without ids or an unknown token is rejected`(file: String) {
    #expect(throws: TokenizerError.self) {
      try RegexTokenizer(
        delimiter: " ", vocabulary: Array(file.utf8), format: .tokensWithIDs)
    }
  }

  @Test func `Invalid UTF-8 is rejected with its offset`() throws {
    let tokenizer = try RegexTokenizer(delimiter: " ", vocabulary: Self.vocabulary)
    let sequences: [[UInt8]] = [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
      [0xF5, 0x80, 0x80, 0x80],
      [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
    ]
    for sequence in sequences {
      #expect(throws: TokenizerError(.invalidUTF8(offset: 3))) {
        try tokenizer.tokenize([0x61, 0xC3, 0xA9] + sequence)
      }
    }
    #expect(throws: TokenizerError.self) {
      try RegexTokenizer(delimiter: " ", vocabulary: [0xFF, 0x20, 0x31])
    }
  }
}
