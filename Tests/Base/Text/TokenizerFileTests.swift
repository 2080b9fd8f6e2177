import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOText

/// Tests of `TokenizerFile`.
struct TokenizerFileTests {
  private func fixture(_ name: String) throws -> String {
    let path = ProjectFiles.path("Tests/Fixtures/Text/\(name)")
    return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
  }

  @Test func `The template of a file is used`() throws {
    let bert = try TokenizerFile.tokenizer(Array(try fixture("wordpiece.json").utf8))
    #expect(bert.standardTemplate == .bert(start: 2, separator: 3))
    #expect(
      bert.specialTokens == SpecialTokens(unknown: 1, padding: 0, start: 2, end: 3, mask: 4))
    let roberta = try TokenizerFile.tokenizer(Array(try fixture("byte-level.json").utf8))
    #expect(roberta.standardTemplate == .roberta(start: 0, separator: 2))
    #expect(
      roberta.specialTokens == SpecialTokens(unknown: 3, padding: 1, start: 0, end: 2, mask: 4))
    let encoded = try TextEncoder(tokenizer: roberta).encode(Array("of".utf8), Array("to".utf8))
    #expect(Array(encoded.ids.prefix(1)) == [0])
    #expect(encoded.ids.count(where: { $0 == 2 }) == 3)
  }

  @Test func `Special tokens in a text are matched on request`() throws {
    let file = Array(try fixture("wordpiece.json").utf8)
    let matching = try TokenizerFile.tokenizer(file)
    #expect(try matching.tokenize("[CLS][SEP]").map(\.id) == [2, 3])
    #expect(try matching.tokenize("[CLS] [SEP]").map(\.range) == [0..<5, 6..<11])
    let plain = try TokenizerFile.tokenizer(file, matchesSpecialTokens: false)
    #expect(try !plain.tokenize("[CLS]").map(\.id).contains(2))
    #expect(matching.text(of: 2) == "[CLS]")
    #expect(matching.id(of: "[SEP]") == 3)
    let ids = try matching.tokenize("the [SEP] movie").map(\.id)
    #expect(matching.decode(ids) == "the movie")
    #expect(matching.decode(ids, skippingSpecialTokens: false) == "the [SEP] movie")
  }

  @Test func `Added tokens take spaces and respect words`() throws {
    let token = { (flags: String) in "\"added_tokens\":[{\"id\":2000,\"content\":\"of\",\(flags)}]"
    }
    let file = try fixture("byte-level.json")
    let start = try #require(file.range(of: "\"added_tokens\":["))
    let end = try #require(file.range(of: "],\"normalizer\""))
    func ranges(_ flags: String, _ text: String) throws -> [Range<Int>] {
      let changed = file.replacingCharacters(
        in: start.lowerBound..<end.upperBound, with: token(flags) + ",\"normalizer\"")
      let tokenizer = try TokenizerFile.tokenizer(Array(changed.utf8))
      #expect(tokenizer.vocabularySize == 2001)
      return try tokenizer.tokenize(text).filter { $0.id == 2000 }.map(\.range)
    }
    #expect(try ranges("\"lstrip\":true", "a  of b") == [1..<5])
    #expect(try ranges("\"rstrip\":true", "a of  b") == [2..<6])
    #expect(try ranges("\"single_word\":true", "offof of") == [6..<8])
    #expect(try ranges("\"special\":false", "offof") == [0..<2, 3..<5])
  }

  /// A file with a byte-level model.
  private func bytes(_ settings: String, preTokenizer: String = "{\"type\": \"ByteLevel\"}")
    -> [UInt8]
  {
    Array(
      """
      {"added_tokens": [{"id": 7, "content": "<x>", "special": true}], "pre_tokenizer": \(preTokenizer),
       "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "\u{120}": 2, "ab": 3, "\u{120}a": 4, "?": 5, "c</w>": 6},
         "merges": ["a b", "\u{120} a"]\(settings)}
      """.utf8)
  }

  @Test func `Characters without tokens are left out, or unknown`() throws {
    let plain = "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}"
    let dropping = try TokenizerFile.tokenizer(bytes("}", preTokenizer: plain))
    #expect(try dropping.tokenize("axb\u{e9}").map(\.id) == [3])
    #expect(try dropping.tokenize("x").isEmpty)
    let unknown = try TokenizerFile.tokenizer(bytes(", \"unk_token\": \"?\"}", preTokenizer: plain))
    #expect(try unknown.tokenize("axxb").map(\.id) == [0, 5, 5, 1])
    let fused = try TokenizerFile.tokenizer(
      bytes(", \"unk_token\": \"?\", \"fuse_unk\": true}", preTokenizer: plain))
    #expect(try fused.tokenize("axxb").map(\.range) == [0..<1, 1..<3, 3..<4])
    #expect(fused.text(of: 4) == " a" && fused.id(of: " a") == 4)
  }

  @Test func `The last character of a word has a suffix`() throws {
    let tokenizer = try TokenizerFile.tokenizer(bytes(", \"end_of_word_suffix\": \"</w>\"}"))
    #expect(try tokenizer.tokenize("abc").map(\.id) == [2, 3, 6])
  }

  @Test func `Spaces are removed from ranges`() throws {
    func ranges(_ text: String, addsSpace: Bool, in step: String) throws -> [Range<Int>] {
      try TokenizerFile.tokenizer(
        bytes(
          """
          }, "post_processor": {"type": "ByteLevel", "trim_offsets": true, "add_prefix_space": \(addsSpace)}
          """, preTokenizer: step)
      ).tokenize(text).map(\.range)
    }
    let prefixed = "{\"type\": \"ByteLevel\", \"add_prefix_space\": true}"
    #expect(try ranges("a ab", addsSpace: true, in: prefixed) == [0..<1, 2..<2, 2..<4])
    #expect(try ranges("b b", addsSpace: true, in: prefixed) == [0..<0, 0..<1, 2..<2, 2..<3])
    let plain = "{\"type\": \"ByteLevel\", \"add_prefix_space\": false}"
    #expect(try ranges(" a", addsSpace: false, in: plain) == [1..<2])
    #expect(try ranges(" a", addsSpace: true, in: plain) == [0..<2])
    #expect(try ranges("  <x>", addsSpace: true, in: plain) == [0..<0, 2..<2, 2..<5])
  }

  @Test(arguments: [
    (", \"dropout\": 0.1}", "'dropout' of byte-pair encoding"),
    ("}, \"decoder\": {\"type\": \"CTC\"}", "the decoder 'CTC'"),
    (
      "}, \"normalizer\": {\"type\": \"Replace\", \"pattern\": {\"Regex\": \"a*\"}, \"content\": \"\"}",
      "the regular expression 'a*' (at byte 0: the pattern matches the empty string)"
    ),
  ])
  func `A part of a byte-level model that is not supported is named`(
    settings: String, component: String
  ) {
    #expect(throws: TokenizerError(.unsupported(component: component))) {
      try TokenizerFile.tokenizer(bytes(settings))
    }
  }

  @Test(arguments: [
    ("\"BertPreTokenizer\"", "\"UnicodeScripts\"", "the pre-tokenizer 'UnicodeScripts'"),
    ("\"BertNormalizer\"", "\"Nmt\"", "the normalizer 'Nmt'"),
    ("\"WordPiece\",\"unk", "\"Other\",\"unk", "the model 'Other'"),
    ("\"TemplateProcessing\"", "\"Other\"", "the postprocessor 'Other'"),
  ])
  func `A component that is not supported is named`(
    part: String, replacement: String, component: String
  ) throws {
    let file = try fixture("wordpiece.json").replacingOccurrences(of: part, with: replacement)
    #expect(throws: TokenizerError(.unsupported(component: component))) {
      try TokenizerFile.tokenizer(Array(file.utf8))
    }
  }

  @Test(arguments: ["", "{}", "[]", "{\"model\": null}", "{\"model\": {\"type\": \"BPE\"}}"])
  func `A file that is no tokenizer is rejected`(file: String) {
    #expect(throws: TokenizerError.self) { try TokenizerFile.tokenizer(Array(file.utf8)) }
  }
}
