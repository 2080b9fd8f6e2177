import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Tests of tokenizers with randomly modified files.
struct ModifiedTokenizerFileTests {
  private static let modifiedInputs = 2_000

  /// A reader of a file, and a valid file.
  struct Reader: Sendable, CustomTestStringConvertible {
    let name: String
    let file: @Sendable () throws -> [UInt8]
    let read: @Sendable ([UInt8]) throws -> any Tokenizer

    var testDescription: String { name }
  }

  private static func fixture(_ name: String) throws -> [UInt8] {
    let path = ProjectFiles.path("Tests/Fixtures/Text/\(name)")
    return [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  private static let words = Array("[UNK]\n[PAD]\na\n##b\nc\n\u{e9}\n##bc\n".utf8)

  private static let readers = [
    Reader(name: "words", file: { words }, read: { try WordPieceTokenizer(vocabulary: $0) }),
    Reader(
      name: "words with ids", file: { Array("<PAD> 0\n<UNKNOWN> 1\na 2\nb c 3\n".utf8) },
      read: { try RegexTokenizer(delimiter: " +", vocabulary: $0) }),
    Reader(
      name: "pattern", file: { Array("[^\\w']+|(a?b)+c*|\\s".utf8) },
      read: {
        try RegexTokenizer(
          delimiter: String(decoding: $0, as: UTF8.self), vocabulary: Array("<UNKNOWN>".utf8))
      }),
    Reader(
      name: "unigram", file: { try fixture("tiny-unigram.model") },
      read: { try SentencePieceTokenizer(model: $0) }),
    Reader(
      name: "bpe", file: { try fixture("tiny-bpe.model") },
      read: { try SentencePieceTokenizer(model: $0) }),
    Reader(
      name: "tokenizer.json", file: { Array(Self.tokenizerJSON.utf8) },
      read: { try TokenizerFile.tokenizer($0) }),
    Reader(
      name: "unigram tokenizer.json", file: { try unigramJSON() },
      read: { try TokenizerFile.tokenizer($0) }),
    Reader(
      name: "pairs tokenizer.json", file: { Array(Self.pairsJSON.utf8) },
      read: { try TokenizerFile.tokenizer($0) }),
    Reader(
      name: "bytes tokenizer.json", file: { Array(Self.bytesJSON.utf8) },
      read: { try TokenizerFile.tokenizer($0) }),
    Reader(
      name: "normalization rules",
      file: {
        let model = try SentencePieceModel(try fixture("tiny-unigram.model"))
        return Array(model.bytes[model.charsmap])
      },
      read: { rules in
        let text = Data(rules).base64EncodedString()
        return try TokenizerFile.tokenizer(Array(unigramJSON(rules: text).utf8))
      }),
  ]

  private static func unigramJSON() throws -> [UInt8] {
    let model = try SentencePieceModel(try fixture("tiny-unigram.model"))
    let rules = Data(model.bytes[model.charsmap]).base64EncodedString()
    return Array(unigramJSON(rules: rules).utf8)
  }

  private static func unigramJSON(rules: String) -> String {
    """
    {"added_tokens": [{"id": 2, "content": "[CLS]", "special": true, "lstrip": true}],
     "normalizer": {"type": "Sequence", "normalizers": [
       {"type": "Precompiled", "precompiled_charsmap": "\(rules)"}, {"type": "NFKC"}, {"type": "StripAccents"},
       {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}, {"type": "Strip"}]},
     "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
       {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "first"}]},
     "decoder": {"type": "Metaspace", "replacement": "\u{2581}"},
     "model": {"type": "Unigram", "unk_id": 0, "vocab": [
       ["<unk>", 0], ["a", -1.5], ["\u{2581}ab", -2], ["[CLS]", 0], ["b", -3], ["ca", -1e1]]}}
    """
  }

  private static let pairsJSON = """
    {"normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "_"}, {"type": "Lowercase"}]},
     "pre_tokenizer": {"type": "Digits", "individual_digits": true},
     "decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"},
       {"type": "Strip", "content": "_", "start": 1, "stop": 0}, {"type": "BPEDecoder"}]},
     "model": {"type": "BPE", "unk_token": "?", "fuse_unk": true, "merges": ["a b", ["ab", "c"]],
       "vocab": {"?": 0, "a": 1, "b": 2, "c": 3, "ab": 4, "abc": 5, "_": 6}}}
    """

  private static let bytesJSON = """
    {"added_tokens": [{"id": 9, "content": "[CLS]", "normalized": true, "rstrip": true}],
     "normalizer": {"type": "NFC"},
     "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
       {"type": "Split", "pattern": {"Regex": "[^\\\\p{L}]?\\\\p{L}{1,2}|\\\\s+(?!\\\\S)"}, "behavior": "MergedWithNext", "invert": true},
       {"type": "Punctuation", "behavior": "Contiguous"}, {"type": "ByteLevel", "use_regex": false}]},
     "post_processor": {"type": "ByteLevel", "trim_offsets": true, "add_prefix_space": true},
     "decoder": {"type": "ByteLevel"},
     "model": {"type": "BPE", "ignore_merges": true, "end_of_word_suffix": "c", "merges": ["a b", "\u{120} a"],
       "vocab": {"a": 0, "b": 1, "\u{120}": 2, "ab": 3, "\u{120}a": 4, "\u{C3}": 5, "bc": 6, "\u{A9}": 7}}}
    """

  private static let tokenizerJSON = """
    {"added_tokens": [{"id": 2, "content": "[CLS]", "special": true, "lstrip": true}],
     "normalizer": {"type": "BertNormalizer", "lowercase": true}, "pre_tokenizer": {"type": "BertPreTokenizer"},
     "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
     "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "a": 1, "[CLS]": 2, "##b": 4}}}
    """

  @Test(arguments: readers)
  func `A modified file is rejected or its tokens are in range`(reader: Reader) throws {
    let file = try reader.file()
    let text = Array("ab abc cab \u{e9}e\u{301}\u{FF21}\u{200B}  [CLS] x".utf8)
    _ = try reader.read(file).tokenize(text)
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<Self.modifiedInputs {
      let modified = Self.modified(file, &generator)
      guard let tokenizer = try? reader.read(modified),
        let tokens = try? tokenizer.tokenize(text)
      else { continue }
      #expect(
        tokens.allSatisfy {
          $0.id >= 0 && $0.id < tokenizer.vocabularySize && $0.range.upperBound <= text.count
        }, "\(Data(modified).base64EncodedString())")
      _ = tokenizer.decode(tokens.map(\.id))
    }
  }

  private static func modified(_ file: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var file = file
    for _ in 0..<Int.random(in: 1...3, using: &generator) where !file.isEmpty {
      let place = Int.random(in: 0..<file.count, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: file.removeSubrange(place...)
      case 1: file.insert(contentsOf: file[place..<min(place + 8, file.count)], at: place)
      case 2: file[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      default: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
    return file
  }
}
