import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// `decoder.onnx`, a language model of bytes with one layer, and the texts that numpy writes with it.
enum DecoderFixture {
  struct Text: Decodable, Sendable {
    let prompt: [Int32]
    let ids: [Int32]
  }

  static let file = ModelFile(path: path("decoder.onnx"), name: "decoder.onnx")

  static let texts: [Text] = {
    let data = try? Data(contentsOf: URL(filePath: path("decoder.json")))
    return (try? JSONDecoder().decode([Text].self, from: data ?? Data())) ?? []
  }()

  static let binding: ModelBinding = {
    func layer(_ name: String, _ part: TextLayer.Part) -> Layer {
      Layer(name: name, kind: .text(TextLayer(shape: [1, -1], part: part)))
    }
    var description = ModelDescription(
      inputs: [layer("input_ids", .ids), layer("position_ids", .positions)],
      outputs: [
        Layer(
          name: "logits", kind: .array(NumericLayer(shape: [1, -1, 256])), role: .nextTokenScores)
      ])
    description.caches = [CacheLink(output: "present.*", input: "past_key_values.*")]
    return ModelBinding(description, mode: .predict, threads: 1)
  }()

  private static func path(_ name: String) -> String {
    ProjectFiles.path("Tests/Fixtures/ONNX/\(name)")
  }

  /// Loads the model, which is run step by step.
  static func load(on backend: any Backend) throws -> any SteppableRuntimeModel {
    try #require(backend.load(file, for: binding).abilities.steps)
  }

  /// Writes a bundle that generates text.
  static func bundle() throws -> TestBundle {
    let bundle = try TestBundle(
      inputs: """
        {"name": "input_ids", "type": "text", "shape": [1, -1],
         "tokenizer": {"type": "huggingface", "file": "tokenizer.json"}},
        {"name": "position_ids", "type": "text", "shape": [1, -1],
         "same_text_as": "input_ids", "part": "positions"}
        """,
      outputs: """
        {"name": "logits", "type": "array", "shape": [1, -1, 256], "role": "next_token_scores"}
        """,
      model: #""file": "decoder.onnx", "quantized": false, "backend": "onnx""#,
      extra: """
        "caches": [{"output": "present.*", "input": "past_key_values.*"}],
        "task": {"type": "generation", "context": 256}
        """)
    for (source, name) in [
      ("decoder.onnx", "decoder.onnx"), ("decoder-tokenizer.json", "assets/tokenizer.json"),
    ] {
      try bundle.write(Array(Data(contentsOf: URL(filePath: path(source)))), to: name)
    }
    return bundle
  }
}

extension StepSession {
  /// The bits of the scores of what follows.
  var scoreBits: [UInt32] {
    get throws {
      var bits: [UInt32] = []
      try readScores { (scores) throws(ModelError) in
        for index in scores.indices { bits.append(scores[index].bitPattern) }
      }
      return bits
    }
  }

  /// The token with the highest score.
  var best: Int32 {
    get throws {
      let scores = try scoreBits.map(Float.init(bitPattern:))
      return Int32(try #require(scores.indices.max { scores[$0] < scores[$1] }))
    }
  }

  /// Chooses the best token a number of times, and returns the tokens.
  func write(_ count: Int, before step: (Int) throws -> Void = { _ in }) throws -> [Int32] {
    var ids: [Int32] = []
    for index in 0..<count {
      ids.append(try best)
      try step(index)
      try append([ids[index]])
    }
    return ids
  }
}
