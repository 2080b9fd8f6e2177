import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// A language model of bytes whose caches grow, and the texts that numpy writes with it.
enum DecoderFixture {
  struct Text: Sendable {
    let prompt: [Int32]
    let ids: [Int32]
  }

  /// The path of the bundle.
  static let bundle = ProjectFiles.path("Tests/Fixtures/Bundles/decoder-growing.tiobundle")

  private static let file = ModelFile(path: bundle + "/model.onnx", name: "model.onnx")

  static let texts: [Text] = {
    let tree = try? JSONTree(contentsOf: ProjectFiles.path("Tests/Fixtures/ONNX/decoders.json"))
    return (tree?["growing"]?.array ?? []).map { one in
      Text(
        prompt: (one["prompt"]?.string ?? "").utf8.map(Int32.init),
        ids: (one["ids"]?.array ?? []).compactMap(\.number).map { Int32($0) })
    }
  }()

  static let binding: ModelBinding = {
    func layer(_ name: String, _ part: TextLayer.Part) -> Layer {
      Layer(name: name, kind: .text(TextLayer(shape: [1, -1], part: part)))
    }
    var description = ModelDescription(
      inputs: [
        layer("input_ids", .ids), layer("attention_mask", .mask), layer("position_ids", .positions),
      ],
      outputs: [
        Layer(
          name: "logits", kind: .array(NumericLayer(shape: [1, -1, 258])), role: .nextTokenScores)
      ])
    description.caches = [CacheLink(output: "present.*", input: "past_key_values.*")]
    return ModelBinding(description, mode: .predict, threads: 1)
  }()

  /// Loads the model, which is run step by step.
  static func load(on backend: any Backend) throws -> any SteppableRuntimeModel {
    try #require(backend.load(file, for: binding).abilities.steps)
  }
}

extension StepSession {
  /// The bits of the scores of what follows.
  var scoreBits: [UInt32] {
    get throws { try scoreBits(after: count - 1) }
  }

  /// Returns the bits of the scores of what follows a token.
  func scoreBits(after index: Int) throws -> [UInt32] {
    var bits: [UInt32] = []
    try readScores(after: index) { (scores) throws(ModelError) in
      for index in scores.indices { bits.append(scores[index].bitPattern) }
    }
    return bits
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
