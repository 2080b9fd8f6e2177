import Testing

@testable import TensorIOJSON

@Suite struct JSONDocumentTests {
  /// A text that parsers treat differently, with the expected error or success.
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let text: [UInt8]
    let dialect: JSONDialect
    let expected: JSONError.Code?

    init(
      _ name: String, _ text: String, _ dialect: JSONDialect = .strict,
      _ expected: JSONError.Code? = nil
    ) {
      self.init(name, bytes: Array(text.utf8), dialect, expected)
    }

    init(
      _ name: String, bytes: [UInt8], _ dialect: JSONDialect = .strict,
      _ expected: JSONError.Code? = nil
    ) {
      self.name = name
      text = bytes
      self.dialect = dialect
      self.expected = expected
    }

    var testDescription: String { name }
  }

  static let rows = [
    Row("64 arrays", String(repeating: "[", count: 64) + String(repeating: "]", count: 64)),
    Row(
      "65 arrays", String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
      .strict, .tooDeep),
    Row("65 objects", String(repeating: "{\"a\":", count: 65), .strict, .tooDeep),
    Row("1e-400 is zero", "1e-400"),
    Row("1e308", "1e308"),
    Row("1.7976931348623157e308", "1.7976931348623157e308"),
    Row("1.7976931348623159e308", "1.7976931348623159e308", .strict, .numberOverflow),
    Row("1e400", "1e400", .strict, .numberOverflow),
    Row("-1e400", "-1e400", .strict, .numberOverflow),
    Row("1e99999999999999999999", "1e99999999999999999999", .strict, .numberOverflow),
    Row("0e99999999999999999999 is zero", "0e99999999999999999999"),
    Row("400 digits", String(repeating: "9", count: 400), .strict, .numberOverflow),
    Row("NaN", "NaN", .strict, .notFinite),
    Row("Infinity", "Infinity", .lenient, .notFinite),
    Row("-Infinity", "[-Infinity]", .lenient, .notFinite),
    Row("hexadecimal", "0x10", .lenient, .invalidNumber),
    Row("a plus in front", "+1", .lenient, .invalidNumber),
    Row("no digit before the dot", ".5", .lenient, .invalidNumber),
    Row("no digit after the dot", "1.", .lenient, .invalidNumber),
    Row("no digit in the exponent", "1e", .strict, .invalidNumber),
    Row("a minus alone", "-", .strict, .invalidNumber),
    Row("two dots", "1.2.3", .strict, .invalidNumber),
    Row("a leading zero", "01", .strict, .invalidNumber),
    Row("a leading zero behind a minus", "-01", .strict, .invalidNumber),
    Row("a unit", "10px", .strict, .invalidNumber),
    Row("negative zero", "-0"),
    Row("a key twice", #"{"a":1,"b":2,"a":3}"#, .strict, .duplicateKey),
    Row("a key twice, once escaped", #"{"a":1,"\u0061":3}"#, .strict, .duplicateKey),
    Row("keys that only look alike", "{\"\u{E9}\":1,\"e\u{301}\":2}"),
    Row("a key in two objects", #"[{"a":1},{"a":{"a":1}}]"#),
    Row("a lone leading surrogate", #""\ud83d""#, .strict, .loneSurrogate),
    Row("a lone trailing surrogate", #""\ude00""#, .strict, .loneSurrogate),
    Row("two leading surrogates", #""\ud83d\ud83d""#, .strict, .loneSurrogate),
    Row("a surrogate pair", #""\ud83d\ude00""#),
    Row("a surrogate in UTF-8", bytes: [0x22, 0xED, 0xA0, 0x80, 0x22], .strict, .invalidUTF8),
    Row("Latin-1", bytes: [0x22, 0xE4, 0x22], .strict, .invalidUTF8),
    Row("an overlong slash", bytes: [0x22, 0xC0, 0xAF, 0x22], .strict, .invalidUTF8),
    Row("an overlong euro", bytes: [0x22, 0xF0, 0x82, 0x82, 0xAC, 0x22], .strict, .invalidUTF8),
    Row("beyond Unicode", bytes: [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], .strict, .invalidUTF8),
    Row("half a character at the end", bytes: [0x22, 0xE2, 0x82], .strict, .invalidUTF8),
    Row("a raw line feed in a string", "\"a\nb\"", .strict, .controlCharacter),
    Row("a raw tab in a string", "\"a\tb\"", .lenient, .controlCharacter),
    Row("a raw NUL in a string", "\"a\0b\"", .strict, .nulCharacter),
    Row("an escaped NUL", #""a\u0000b""#, .strict, .nulCharacter),
    Row("a NUL between values", "[1,\0]", .strict, .unexpectedCharacter),
    Row("an unknown escape", #""\x41""#, .lenient, .invalidEscape),
    Row("a short escape", #""\u00""#, .strict, .invalidEscape),
    Row("a backslash at the end", "\"\\", .strict, .invalidEscape),
    Row("a string without an end", "\"abc", .strict, .unterminatedString),
    Row("a byte order mark", "\u{FEFF}1", .strict, .byteOrderMark),
    Row("a byte order mark in a description", "\u{FEFF}1", .modelDescription),
    Row("UTF-16", bytes: [0xFF, 0xFE, 0x31, 0x00], .modelDescription, .unexpectedCharacter),
    Row("a trailing comma", "[1,]", .strict, .trailingComma),
    Row("a trailing comma in a description", #"{"a":[1,],}"#, .modelDescription),
    Row("two trailing commas", "[1,,]", .modelDescription, .unexpectedCharacter),
    Row("a comma alone", "[,]", .modelDescription, .unexpectedCharacter),
    Row("a line comment", "// one\n1", .modelDescription, .comment),
    Row("a comment in an array", "[1 /* one */]", .modelDescription, .comment),
    Row("a comment behind the value", "1 // one", .modelDescription, .comment),
    Row("comments where they are allowed", "/* 1 */ [1, // one\n /**/ 2]//", .lenient),
    Row("a comment without an end", "1 /* one", .lenient, .unexpectedEnd),
    Row("single quotes", "'a'", .lenient, .unexpectedCharacter),
    Row("a bare key", "{a:1}", .lenient, .unexpectedCharacter),
    Row("a number as a key", "{1:1}", .strict, .unexpectedCharacter),
    Row("no colon", #"{"a" 1}"#, .strict, .unexpectedCharacter),
    Row("no comma", "[1 2]", .strict, .unexpectedCharacter),
    Row("the wrong bracket", "[1}", .strict, .unexpectedCharacter),
    Row("a value after the value", "1 2", .strict, .trailingContent),
    Row("dots after the value", "{}\n...\n", .modelDescription, .trailingContent),
    Row("dots after the value, allowed", "{}\n...\n", .lenient),
    Row("nothing", "", .strict, .emptyDocument),
    Row("blanks", " \t\r\n", .strict, .emptyDocument),
    Row("an open array", "[1,", .strict, .unexpectedEnd),
    Row("an open object", #"{"a":"#, .strict, .unexpectedEnd),
    Row("True", "True", .strict, .unknownLiteral),
    Row("truely", "truely", .strict, .unknownLiteral),
    Row("nul", "nul", .strict, .unknownLiteral),
  ]

  @Test(arguments: rows)
  func `Ambiguous texts are accepted or rejected as specified`(row: Row) {
    do throws(JSONError) {
      _ = try JSONDocument(parsing: row.text, dialect: row.dialect)
      #expect(row.expected == nil)
    } catch {
      #expect(error.code == row.expected)
      #expect(!error.expected.isEmpty && !error.found.isEmpty)
    }
  }

  @Test func `A text larger than the limit is rejected`() {
    let text = Array("[1,2,3]".utf8)
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: text, limits: JSONLimits(bytes: 6))
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.found == "7 bytes")
    #expect(throws: Never.self) {
      try JSONDocument(parsing: text, limits: JSONLimits(bytes: 7))
    }
  }

  @Test func `The depth limit can be lowered but not raised`() {
    #expect(JSONLimits(bytes: 1, depth: 1000).depth == JSONLimits.maxDepth)
    let error = #expect(throws: JSONError.self) {
      try JSONDocument(parsing: Array("[[1]]".utf8), limits: JSONLimits(bytes: 10, depth: 1))
    }
    #expect(error?.code == .tooDeep)
  }

  @Test func `Every use of nonstandard syntax is recorded`() throws {
    let text = "\u{FEFF}[1, // one\n 2,]\n..."
    let document = try JSONDocument(parsing: Array(text.utf8), dialect: .lenient)
    #expect(
      document.extensionUses.map(\.kind) == [
        .byteOrderMark, .comments, .trailingCommas, .trailingEllipsis,
      ])
    #expect(document.position(of: document.extensionUses[2].offset).line == 2)
    #expect(document.position(of: document.extensionUses[2].offset).column == 3)
  }
}
