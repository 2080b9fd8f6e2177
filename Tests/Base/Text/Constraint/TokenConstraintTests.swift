import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Tests of texts that a regular expression constrains, and of the tokens that may follow.
struct TokenConstraintTests {
  private func constraint(
    _ pattern: String, _ vocabulary: PieceVocabulary = .usual
  ) throws -> TokenConstraint {
    try vocabulary.constraint { try ByteGrammar(pattern: pattern, lookahead: $0) }
  }

  private static let patterns: [(String, allowed: [String], rejected: [String])] = [
    ("[a-c]+", ["a", "abcabc"], ["", "d", "abd", "A"]),
    ("a*", ["", "aaaa"], ["b", "ab"]),
    ("(?:ab|abc|b)c?", ["ab", "abc", "abcc", "b", "bc"], ["a", "bb", "abccc"]),
    ("\\d{2,4}-\\w", ["12-a", "1234-_"], ["1-a", "12345-a", "12-\u{e9}", "\u{661}2-a"]),
    ("^yes$|^no$", ["yes", "no"], ["yesno", "y", ""]),
    ("a^b|c", ["c"], ["ab", "a"]),
    ("a(?:b$|c)d|ab$", ["ab", "acd"], ["abd", "ac"]),
    (".", ["a", "\u{e9}", "\u{20AC}", "\u{1F600}"], ["\n", "\u{2028}", "ab", ""]),
    ("[^a\u{e9}]", ["b", "\u{e8}", "\u{1F600}", "\n"], ["a", "\u{e9}"]),
    ("[\u{e9}-\u{20AC}]+", ["\u{e9}\u{20AC}\u{1000}"], ["\u{e8}", "\u{20AD}"]),
    ("[\u{1F5FF}-\u{1F601}]", ["\u{1F600}", "\u{1F5FF}"], ["\u{1F602}", "\u{1F5FE}"]),
    ("\\p{Lu}\\p{Ll}*?\\s", ["\u{c9}t\u{e9} ", "A\u{FEFF}"], ["\u{e9} ", "A\u{85}"]),
    ("\\u00e9\\x41\\/\\-", ["\u{e9}A/-"], ["eA/-"]),
    ("(?:a?){3}b", ["b", "aaab"], ["aaaab"]), ("(?:a*)*b", ["aab", "b"], ["a c"]),
  ]

  @Test(arguments: patterns.indices)
  func `A pattern allows the texts that it matches`(_ index: Int) throws {
    let (pattern, allowed, rejected) = Self.patterns[index]
    var constraint = try constraint(pattern)
    for text in allowed { #expect(try constraint.allows(text), "\(pattern) \(text)") }
    for text in rejected { #expect(try !constraint.allows(text), "\(pattern) \(text)") }
  }

  private static let invalidPatterns: [(String, offset: Int)] = [
    ("a(b", 3), ("[]a]", 1), ("a++", 2), ("(?=a)b", 2), ("a\\b", 2), ("(?<n>a)", 2), ("a{,3}", 1),
    ("\\1", 1), ("a{3,2}", 1), ("*", 0), ("a)", 1), ("[z-a]", 4), ("\\p{Nope}", 3),
  ]

  @Test(arguments: invalidPatterns)
  func `A pattern that is not supported is an error with its place`(
    pattern: String, offset: Int
  ) throws {
    let error = try #require(throws: ConstraintError.self) { try constraint(pattern) }
    guard case .invalidPattern(_, let place) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(place == offset, "\(error)")
  }

  @Test func `Random texts of a pattern are matched`() throws {
    var generator = SeededGenerator(seed: 3)
    var texts: Set<[UInt8]> = []
    for (pattern, _, _) in Self.patterns {
      var constraint = try constraint(pattern)
      var again = try self.constraint(pattern)
      for _ in 0..<20 {
        try constraint.restart()
        let text = try #require(
          try constraint.randomText(of: .usual, length: 6, &generator), "\(pattern)")
        let string = try #require(String(validating: text, as: UTF8.self), "\(pattern) \(text)")
        #expect(try again.allows(string), "\(pattern) \(string)")
        texts.insert(text)
      }
    }
    #expect(texts.count > 60)
  }

  @Test func `Each token that is allowed keeps the text possible, and no other does`() throws {
    let vocabulary = PieceVocabulary.usual
    var generator = SeededGenerator(seed: 1)
    for (pattern, _, _) in Self.patterns {
      var constraint = try constraint(pattern)
      for _ in 0..<8 where !constraint.isComplete {
        let mask = try constraint.mask()
        for id in 0..<vocabulary.end {
          var next = constraint
          try next.append(id)
          let isAlive = (try? next.mask()) != nil || next.isFulfilled
          #expect(mask.contains(id) == isAlive, "\(pattern) \(vocabulary.pieces[Int(id)])")
        }
        guard let id = (0..<vocabulary.end).filter(mask.contains).randomElement(using: &generator)
        else { break }
        try constraint.append(id)
      }
    }
  }

  @Test func `Tokens with the same bytes are all allowed, and tokens without bytes never`() throws {
    let vocabulary = PieceVocabulary([[0x61], [], [0x61], [0x62]])
    var constraint = try constraint("aa", vocabulary)
    let mask = try constraint.mask()
    #expect((0..<5).map { mask.contains($0) } == [true, false, true, false, false])
    try constraint.append(2)
    try constraint.append(0)
    #expect(constraint.isComplete)
    #expect(try constraint.mask().contains(vocabulary.end))
  }

  @Test func `A text that the vocabulary cannot write is an error`() throws {
    let vocabulary = PieceVocabulary([[0x61], [0x62, 0x63]])
    #expect(throws: ConstraintError.unsatisfiable) { try self.constraint("ad", vocabulary) }
    // There is a token with each byte, and none that continues the text.
    var constraint = try self.constraint("ab", vocabulary)
    try constraint.append(0)
    #expect(throws: ConstraintError.noToken) { try constraint.mask() }
  }

  @Test
  func
    `The end is allowed where a text is whole, and a whole text is complete if nothing can follow`()
    throws
  {
    var constraint = try constraint("ab?")
    #expect(try !constraint.mask().contains(PieceVocabulary.usual.end))
    try constraint.append(0x61)
    #expect(try constraint.mask().contains(PieceVocabulary.usual.end))
    #expect(constraint.isFulfilled && !constraint.isComplete)
    try constraint.append(0x62)
    #expect(constraint.isComplete)
  }

  @Test
  func `A pattern with exponentially many states takes little time, and forgets them rightly`()
    throws
  {
    // The tokens are all words of 1 to 8 letters, so that each step reaches hundreds of states.
    let words = (1...8).flatMap { length in
      (0..<1 << length).map { bits in
        (0..<length).map { UInt8(ascii: "a") + UInt8(bits >> $0 & 1) }
      }
    }
    let vocabulary = PieceVocabulary(words + [Array("c".utf8)])
    var generator = SeededGenerator(seed: 5)
    let time = try ThreadTime.measure {
      var constraint = try constraint("(?:a|b)*a(?:a|b){20}c", vocabulary)
      var text: [UInt8] = []
      var endings = 0
      for _ in 0..<150 {
        let mask = try constraint.mask()
        let canEnd = text.count > 20 && text[text.count - 21] == UInt8(ascii: "a")
        try #require(mask.contains(Int32(words.count)) == canEnd)
        try #require((0..<Int32(words.count)).allSatisfy(mask.contains))
        endings += canEnd ? 1 : 0
        let id = Int.random(in: 0..<words.count, using: &generator)
        text += words[id]
        try constraint.append(Int32(id))
      }
      #expect((20...130).contains(endings))
    }
    #expect(time < .seconds(120))
  }

  @Test func `A pattern that is too long is an error`() {
    for pattern in [
      "(?:a{100}){100}", "(?:(?:a{50}){50}){50}", String(repeating: "a", count: 5_000),
    ] {
      #expect(throws: ConstraintError.self) { try constraint(pattern) }
    }
  }

  @Test func `Masks are those of a walk without them, when many characters can follow`() throws {
    let vocabulary = PieceVocabulary.usual
    for count in [3, 9, 40] {
      var constraint = try vocabulary.constraint { lookahead in
        try ByteGrammar(
          schema: #"{"type": "string", "maxLength": \#(count)}"#, lookahead: lookahead)
      }
      var exact = try vocabulary.constraint { _ in
        try ByteGrammar(schema: #"{"type": "string", "maxLength": \#(count)}"#, lookahead: 1_000)
      }
      for byte in "\"" + String(repeating: "a", count: count) {
        #expect(try constraint.mask() == exact.mask())
        let id = Int32(byte.asciiValue ?? 0)
        try constraint.append(id)
        try exact.append(id)
      }
      #expect(try constraint.mask() == exact.mask())
    }
  }
}
