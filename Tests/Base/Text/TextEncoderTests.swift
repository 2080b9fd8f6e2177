import Testing

@testable import TensorIOText

/// Tests of `TextEncoder`.
struct TextEncoderTests {
  private func tokenizer() throws -> WordPieceTokenizer {
    let tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + "abcdefgh".map(String.init)
    return try WordPieceTokenizer(vocabulary: Array(tokens.joined(separator: "\n").utf8))
  }

  private func encoder(
    _ length: TextEncoder.Length, _ change: (inout TextEncoder.Settings) -> Void = { _ in }
  ) throws -> TextEncoder {
    var settings = TextEncoder.Settings()
    settings.length = length
    change(&settings)
    return try TextEncoder(tokenizer: try tokenizer(), settings: settings)
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `A short text is padded`() throws {
    let encoded = try encoder(.fixed(6)).encode(bytes("a b"))
    #expect(encoded.ids == [2, 4, 5, 3, 0, 0])
    #expect(encoded.mask == [1, 1, 1, 1, 0, 0])
    #expect(encoded.segments == [0, 0, 0, 0, 0, 0])
    #expect(encoded.ranges == [0..<0, 0..<1, 2..<3, 0..<0, 0..<0, 0..<0])
    #expect(encoded.sources == [nil, .first, .first, nil, nil, nil])
    #expect(!encoded.isTruncated)
  }

  @Test func `Padding can be on the left`() throws {
    let encoded = try encoder(.fixed(5)) { $0.paddingSide = .left }.encode(bytes("a"))
    #expect(encoded.ids == [0, 0, 2, 4, 3])
    #expect(encoded.mask == [0, 0, 1, 1, 1])
  }

  @Test func `A long text is truncated`() throws {
    let encoded = try encoder(.fixed(4)).encode(bytes("a b c"))
    #expect(encoded.ids == [2, 4, 5, 3])
    #expect(encoded.isTruncated)
    let left = try encoder(.free(max: 4)) { $0.truncationSide = .left }.encode(bytes("a b c"))
    #expect(left.ids == [2, 5, 6, 3])
    #expect(try encoder(.free(max: nil)).encode(bytes("a b c")).ids == [2, 4, 5, 6, 3])
    #expect(try encoder(.free(max: 9)).encode([]).ids == [2, 3])
  }

  @Test func `A pair has two segments`() throws {
    let encoded = try encoder(.free(max: nil)).encode(bytes("a"), bytes("b c"))
    #expect(encoded.ids == [2, 4, 3, 5, 6, 3])
    #expect(encoded.segments == [0, 0, 0, 1, 1, 1])
    #expect(encoded.sources == [nil, .first, nil, .second, .second, nil])
  }

  // Values of the truncation of `tokenizers`.
  @Test(arguments: [
    (1, 5, 7, 1, 3), (5, 1, 7, 3, 1), (5, 5, 8, 2, 3), (6, 5, 8, 3, 2), (2, 2, 7, 2, 2),
    (4, 4, 9, 3, 3),
  ])
  func `The longer text of a pair is truncated first`(
    first: Int, second: Int, length: Int, firstKept: Int, secondKept: Int
  ) throws {
    let encoded = try encoder(.fixed(length)).encode(
      bytes(String(repeating: "a ", count: first)), bytes(String(repeating: "b ", count: second)))
    #expect(encoded.ids.count(where: { $0 == 4 }) == firstKept)
    #expect(encoded.ids.count(where: { $0 == 5 }) == secondKept)
    #expect(encoded.count == length)
  }

  @Test func `Windows overlap by the stride`() throws {
    let encoder = try encoder(.free(max: 7)) {
      $0.truncation = .onlySecond
      $0.stride = 1
    }
    let windows = try encoder.windows(bytes("a"), bytes("b c d e f g h"))
    #expect(
      windows.map(\.ids) == [
        [2, 4, 3, 5, 6, 7, 3], [2, 4, 3, 7, 8, 9, 3], [2, 4, 3, 9, 10, 11, 3],
      ])
    #expect(windows.last?.ranges[3] == 8..<9)
    #expect(try encoder.windows(bytes("a b c d e f")).count == 2)
    #expect(try encoder.windows(bytes("a b c d e")).count == 1)
  }

  @Test func `Only the chosen text is truncated`() throws {
    let second = try encoder(.fixed(6)) { $0.truncation = .onlySecond }
    #expect(try second.encode(bytes("a b"), bytes("c d e")).ids == [2, 4, 5, 3, 6, 3])
    #expect(throws: TokenizerError.self) { try second.encode(bytes("a b c"), bytes("d")) }
    #expect(throws: TokenizerError.self) { try second.windows(bytes("a b c"), bytes("d")) }
    let first = try encoder(.fixed(6)) { $0.truncation = .onlyFirst }
    #expect(try first.encode(bytes("a b c"), bytes("d")).ids == [2, 4, 5, 3, 7, 3])
  }

  @Test func `Settings that cannot work are rejected`() throws {
    #expect(throws: TokenizerError.self) { try encoder(.fixed(2)) }
    #expect(throws: TokenizerError.self) { try encoder(.fixed(9)) { $0.stride = -1 } }
    #expect(throws: TokenizerError.self) {
      try encoder(.fixed(4)) { $0.stride = 2 }.windows(bytes("a b c"))
    }
    let single = try encoder(.fixed(4)) { $0.template = .startOnly(2) }
    #expect(try single.encode(bytes("a")).ids == [2, 4, 0, 0])
    #expect(throws: TokenizerError.self) { try single.encode([], []) }
  }
}
