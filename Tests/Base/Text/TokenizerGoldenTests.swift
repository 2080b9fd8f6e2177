import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Comparisons with the tokens of the Python packages `tokenizers` and `sentencepiece`.
///
/// `Scripts/fixtures/golden/make-tokenizers.py` writes the fixtures.
struct TokenizerGoldenTests {
  private static func file(_ name: String) throws -> [UInt8] {
    let path = ProjectFiles.path("Tests/Fixtures/Text/\(name)")
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  /// Returns a file of lines or their tokens.
  private static func lines(_ name: String) throws -> [UInt8] {
    guard let moreLines else { return try file(name) }
    return [UInt8](try Data(contentsOf: URL(filePath: "\(moreLines)/\(name)")))
  }

  /// A tokenizer and its golden file.
  struct Reference: Sendable, CustomTestStringConvertible {
    let golden: String
    let tokenizer: @Sendable () throws -> any Tokenizer

    var testDescription: String { golden }
  }

  private static let references =
    [
      Reference(golden: "wordpiece") {
        try WordPieceTokenizer(vocabulary: try file("wordpiece.txt"))
      },
      Reference(golden: "wordpiece-cased") {
        var settings = WordPieceTokenizer.Settings()
        settings.normalization = .cased
        return try WordPieceTokenizer(
          vocabulary: try file("wordpiece-cased.txt"), settings: settings)
      },
      Reference(golden: "byte-level") { try byteLevel(addsPrefixSpace: false) },
      Reference(golden: "byte-level-prefix") { try byteLevel(addsPrefixSpace: true) },
      tokenizerFile("wordpiece.json"), tokenizerFile("byte-level.json"),
      sentencePiece("unigram"), sentencePiece("unigram-bytes"), sentencePiece("bpe"),
      sentencePiece("characters"),
    ] + composed.map(tokenizerFile)

  /// The tokenizer files of other steps than those of BERT and GPT-2.
  private static let composed = [
    "unigram-t5.json", "unigram-xlm-roberta.json", "unigram-albert.json", "unigram-fallback.json",
    "pairs-llama.json", "pairs-words.json", "words.json", "wordpiece-steps.json",
    "bytes-smollm.json", "bytes-llama3.json", "bytes-gpt4o.json", "bytes-falcon.json",
    "bytes-clip.json", "pairs-gemma.json",
  ]

  private static func byteLevel(addsPrefixSpace: Bool) throws -> ByteLevelBPETokenizer {
    var settings = ByteLevelBPETokenizer.Settings()
    settings.addsPrefixSpace = addsPrefixSpace
    return try ByteLevelBPETokenizer(
      vocabulary: try file("byte-level-vocab.json"), merges: try file("byte-level-merges.txt"),
      settings: settings)
  }

  private static func tokenizerFile(_ name: String) -> Reference {
    Reference(golden: name) { try TokenizerFile.tokenizer(try tokenizerFile(name)) }
  }

  /// Returns a tokenizer file with the normalization rules of the model that it names.
  private static func tokenizerFile(_ name: String) throws -> [UInt8] {
    let text = String(decoding: try file(name), as: UTF8.self)
    let model = try SentencePieceModel(try file("unigram.model"))
    let rules = Data(model.bytes[model.charsmap]).base64EncodedString()
    return Array(text.replacingOccurrences(of: "unigram.model", with: rules).utf8)
  }

  private static func sentencePiece(_ name: String) -> Reference {
    Reference(golden: name) { try SentencePieceTokenizer(model: try file("\(name).model")) }
  }

  /// Returns the FNV-1a hash of tokens as the script writes them.
  private func hash(_ tokens: [Token]) -> String {
    hash(
      tokens.map { "\($0.id):\($0.range.lowerBound)-\($0.range.upperBound)" }
        .joined(separator: " "))
  }

  private func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A folder with more lines and their tokens, which `Scripts/check/tokenizers` writes.
  private static let moreLines = ProcessInfo.processInfo.environment["TENSORIO_TOKENIZER_LINES"]

  @Test(arguments: references)
  func `Ids and ranges equal the reference`(reference: Reference) throws {
    let tokenizer = try reference.tokenizer()
    let lines = try Self.lines("lines.txt")
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let golden = String(decoding: try Self.lines("\(reference.golden).golden"), as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.count == (Self.moreLines == nil ? 503 : 10_003))
    #expect(lines.count == golden.count)
    for (line, expected) in zip(lines, golden) {
      let tokens = try tokenizer.tokenize(Array(line))
      #expect(hash(tokens) == expected, "\(String(decoding: line, as: UTF8.self)): \(tokens)")
      #expect(
        tokens.allSatisfy { $0.id >= 0 && $0.id < tokenizer.vocabularySize })
    }
  }

  @Test(arguments: composed)
  func `Decoded texts equal the reference`(name: String) throws {
    let tokenizer = try TokenizerFile.tokenizer(try Self.tokenizerFile(name))
    let lines = try Self.file("lines.txt")
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let golden = String(decoding: try Self.file("\(name).texts"), as: UTF8.self)
      .split(separator: "\n")
    #expect(lines.count == golden.count)
    for (line, expected) in zip(lines, golden) {
      let text = tokenizer.decode(try tokenizer.tokenize(Array(line)).map(\.id))
      #expect(hash(text) == expected, "\(String(decoding: line, as: UTF8.self)): \(text)")
    }
  }

  @Test(arguments: references)
  func `Streams of tokens give the decoded text`(reference: Reference) throws {
    let tokenizer = try reference.tokenizer()
    var generator = SeededGenerator(seed: 5)
    for line in try Self.lines("lines.txt").split(separator: UInt8(ascii: "\n")) {
      let ids = try tokenizer.tokenize(Array(line)).map(\.id)
      let text = tokenizer.decode(ids)
      var stream = StreamingDetokenizer(tokenizer)
      #expect(ids.map { stream.append($0) }.joined() + stream.finish() == text)
      // A text that is continued after some tokens.
      let count = Int.random(in: 0...ids.count, using: &generator)
      let bytes = ids[..<count].flatMap { tokenizer.bytes(of: $0) ?? [] }
      guard !bytes.isEmpty, UTF8Text.firstInvalidOffset(in: bytes.span) == nil else { continue }
      stream = StreamingDetokenizer(tokenizer, continuesText: true)
      let rest = ids[count...].map { stream.append($0) }.joined() + stream.finish()
      #expect(tokenizer.decode(Array(ids[..<count])) + rest == text)
    }
  }

  @Test(arguments: ["bpe", "unigram-bytes"])
  func `Text with byte fallback is decoded`(name: String) throws {
    let tokenizer = try SentencePieceTokenizer(model: try Self.file("\(name).model"))
    let text = "could it be \u{1F984} caf\u{e9}"
    let decoded = tokenizer.decode(try tokenizer.tokenize(text).map(\.id))
    #expect(decoded.trimmingCharacters(in: .whitespaces) == text)
  }

  @Test func `Text is decoded from bytes`() throws {
    let text = "could it be \u{1F984} caf\u{e9}"
    let tokenizer = try Self.byteLevel(addsPrefixSpace: false)
    let ids = try tokenizer.tokenize(text).map(\.id)
    #expect(tokenizer.decode([0] + ids + [2]) == text)
    #expect(tokenizer.decode([0], skippingSpecialTokens: false) == "<s>")
  }
}
