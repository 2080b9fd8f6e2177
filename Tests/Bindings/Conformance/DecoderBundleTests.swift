import Foundation
import TensorIO
import TensorIOBundle
import TensorIOTestSupport
import Testing

/// Bundles with decoders of LiteRT. Expected texts are those that `Scripts/fixtures/tiny-models/decoders.py` computes.
@Suite struct DecoderBundleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Opens a decoder, whose tokens are the letters from a to k and the end of a text.
  private func open(_ name: String, _ level: Isolation.Level? = nil) throws -> Model {
    let mask =
      name == "mask"
      ? #", {"name": "mask", "type": "text", "shape": [1, 1, 1, 16], "part": "mask", "same_text_as": "tokens"}"#
      : ""
    try folder.write(
      """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
       "inputs": [
         {"name": "tokens", "type": "text", "shape": [1, 1],
          "tokenizer": {"type": "huggingface", "file": "tokenizer.json"}},
         {"name": "input_pos", "type": "text", "shape": [1], "part": "positions", "same_text_as": "tokens"}\(mask)],
       "outputs": [{"name": "logits", "type": "array", "shape": [1, 1, 12], "role": "next_token_scores"}],
       "caches": [{"output": "kv_cache_*", "input": "kv_cache_*"\(name == "mask" ? "" : #", "length": 16"#)}],
       "task": {"type": "generation", "end": ["<end>"]}}
      """, to: "d.tiobundle/model.json")
    try folder.write(DecoderOfLetters.tokenizer, to: "d.tiobundle/assets/tokenizer.json")
    try folder.copy(
      ProjectFiles.path("Tests/Fixtures/Generation/decoder-\(name).tflite"),
      as: "d.tiobundle/model.tflite")
    let options = OpeningOptions(threads: 1, isolation: level.map { Isolation(level: $0) })
    return try Model(at: folder.path + "/d.tiobundle", options: options)
  }

  @Test(arguments: ["mask", "causal"])
  func `A decoder of LiteRT continues a text`(_ name: String) throws {
    let model = try open(name)
    #expect(model.warnings.isEmpty)
    let text = try model.generate("dbebfj").result()
    #expect((text.text, text.tokens) == ("kkkkk", [10, 10, 10, 10, 10]))
    #expect(text.end == .stop)
    let short = try model.generate("dbebfj", options: .init(maxTokens: 2)).result()
    #expect((short.text, short.end) == ("kk", .length))
  }

  @Test(arguments: ["mask", "causal"], [Isolation.Level.process, .sandbox])
  func `A worker process continues the text`(_ name: String, _ level: Isolation.Level) throws {
    #expect(try open(name, level).generate("dbebfj").result().text == "kkkkk")
  }

  @Test(arguments: ["mask", "causal"], [nil, Isolation.Level.process, .sandbox])
  func `Probabilities of tokens are those of the scores`(
    _ name: String, _ level: Isolation.Level?
  ) throws {
    let golden = try JSONTree(
      contentsOf: ProjectFiles.path("Tests/Fixtures/Generation/decoders.json"))["attention"]
    let ids: [Int32] = [3, 1, 4, 1, 5, 9, 10, 10, 10, 10, 10]
    #expect(golden?["ids"]?.array?.prefix(11).compactMap(\.number) == ids.map(Double.init))
    let expected = try (5..<ids.count).map { index in
      let row = try #require(golden?["scores"]?[index - 1]?.array)
      let scores = row.compactMap(\.number)
      return scores[Int(ids[index])] - log(scores.reduce(0) { $0 + exp($1) })
    }
    let text = try open(name, level).logProbabilities(of: "jkkkkk", after: "dbebf")
    #expect(text.tokens == Array(ids[5...]))
    let isEqual = zip(text.values, expected).allSatisfy { abs($0 - $1) < 1e-4 }
    #expect(isEqual, "\(text.values)")
    #expect(text.values.count == expected.count && text.byteCount == 6)
  }

  @Test func `A text ends where the caches end`() throws {
    let text = try open("reread").generate("dbebfj").result()
    #expect((text.text, text.end) == ("kddddddddd", .length))
  }

  @Test func `A prompt that does not fit in the caches is an error`() throws {
    let model = try open("mask")
    let error = try #require(throws: ModelError.self) {
      try model.generate(String(repeating: "a", count: 16))
    }
    #expect(error.message.contains("16 tokens"))
    #expect(error.stage == .input)
  }

  @Test func `A canceled text ends with an error, and leaves the model usable`() throws {
    let model = try open("mask")
    let text = try model.generate("dbebfj")
    #expect(try text.next()?.text == "k")
    text.cancel()
    #expect { try text.next() } throws: { ($0 as? ModelError)?.reason == .cancelled }
    #expect(text.partialResult.text == "k")
    #expect(try model.generate("dbebfj").result().text == "kkkkk")
  }
}
