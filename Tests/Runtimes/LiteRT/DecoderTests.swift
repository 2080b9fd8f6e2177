import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

/// A decoder in `Tests/Fixtures/Generation`, with the scores that numpy computes for a text.
private struct Decoder: CustomTestStringConvertible {
  struct Text: Decodable {
    let ids: [Int32]
    /// The scores of what follows each token.
    let scores: [[Float]]
  }

  let name: String
  let text: Text
  var length: Int?
  var testDescription: String { name }

  static let capacity = 16
  static let mask = Decoder("mask", "attention")
  static let causal = Decoder("causal", "attention", length: capacity)
  static let reread = Decoder("reread", "sums", length: capacity)
  static let all = [mask, causal, reread]

  private static let folder = ProjectFiles.root.appending(path: "Tests/Fixtures/Generation")

  private init(_ name: String, _ text: String, length: Int? = nil) {
    (self.name, self.length) = (name, length)
    let data = (try? Data(contentsOf: Self.folder.appending(path: "decoders.json"))) ?? Data()
    self.text =
      (try? JSONDecoder().decode([String: Text].self, from: data))?[text]
      ?? Text(ids: [], scores: [])
  }

  /// Loads the model, in which names may be replaced by others of the same length.
  func load(
    replacing names: [(String, String)] = [], cache: String = "kv_cache_*",
    _ change: (inout ModelDescription) -> Void = { _ in }
  ) throws -> LiteRTModel {
    var bytes = try Data(contentsOf: Self.folder.appending(path: "decoder-\(name).tflite"))
    for (old, new) in names {
      while let range = bytes.range(of: Data(old.utf8)) {
        bytes.replaceSubrange(range, with: Data(new.utf8))
      }
    }
    var description = ModelDescription(
      inputs: [layer("tokens", [1, 1], .ids), layer("input_pos", [1], .positions)],
      outputs: [Layer(name: "logits", kind: .array(NumericLayer(shape: [1, 1, 12])))])
    if name == "mask" {
      description.inputs.append(layer("mask", [1, 1, 1, Self.capacity], .mask))
    }
    description.outputs[0].role = .nextTokenScores
    description.caches = [CacheLink(output: cache, input: cache, length: length)]
    change(&description)
    return try LiteRTBackend().model(
      bytes: [UInt8](bytes), for: ModelBinding(description, mode: .predict, threads: 1))
  }

  private func layer(_ name: String, _ shape: [Int], _ part: TextLayer.Part) -> Layer {
    Layer(name: name, kind: .text(TextLayer(shape: TensorShape(shape), part: part)))
  }

  func session() throws -> any StepSession {
    try #require(load().abilities.steps).makeStepSession()
  }
}

extension TensorInfo {
  fileprivate var layerName: String { signatureKey ?? name }
}

extension StepSession {
  fileprivate func append(_ tokens: ArraySlice<Int32>) throws { try append(Array(tokens)) }

  /// Returns whether the scores are those of the last token of the sequence.
  fileprivate func hasScores(of text: Decoder.Text) throws -> Bool {
    var isEqual = false
    try readScores { (scores) throws(ModelError) in
      let expected = text.scores[count - 1]
      isEqual =
        scores.count == expected.count
        && expected.indices.allSatisfy { abs(scores[$0] - expected[$0]) < 1e-4 }
    }
    return isEqual
  }
}

@Suite struct DecoderTests {
  @Test(arguments: Decoder.all)
  fileprivate func `Steps of all lengths have the scores of the whole text`(
    _ decoder: Decoder
  ) throws {
    let text = decoder.text
    let model = try #require(decoder.load().abilities.steps)
    for first in 1...Decoder.capacity {
      let session = try model.makeStepSession()
      try session.append(text.ids[..<first])
      #expect(try session.hasScores(of: text), "\(first)")
      for end in first..<Decoder.capacity {
        let fork = try session.fork()
        try fork.append(text.ids[first...end])
        #expect(try fork.hasScores(of: text), "\(first) + \(end + 1 - first)")
        #expect(fork.count == end + 1)
      }
      #expect(try session.hasScores(of: text), "forks change nothing")
    }
  }

  @Test(arguments: [Decoder.mask, .causal])
  fileprivate func `A text goes on after a common beginning`(_ decoder: Decoder) throws {
    let session = try decoder.session()
    try session.append([7, 2, 8, 11, 0, 6, 7, 5, 5, 1, 2, 3, 4, 5, 6, 7])
    try session.truncate(to: 0)
    #expect(throws: ModelError.self) { try session.readScores { _ in } }
    try session.append(decoder.text.ids[...])
    #expect(try session.hasScores(of: decoder.text))
    try session.truncate(to: 5)
    try session.append(decoder.text.ids[5..<9])
    #expect(try session.hasScores(of: decoder.text))
    #expect(session.count == 9)
  }

  @Test(arguments: Decoder.all)
  fileprivate func `Caches have one buffer if the model can write them in place`(
    _ decoder: Decoder
  ) throws {
    let session = try decoder.session()
    // Keys and values, or sums in two buffers.
    #expect(session.cacheByteCount(for: 3) == 2 * 16 * 4 * MemoryLayout<Float>.stride)
    #expect(session.capacity == Decoder.capacity)
    #expect(session.vocabularySize == 12)
  }

  @Test(arguments: Decoder.all)
  fileprivate func `A step that fails leaves the sequence as it was`(_ decoder: Decoder) throws {
    let (text, session) = (decoder.text, try decoder.session())
    try session.append(text.ids[..<9])
    #expect(throws: ModelError.self) { try session.append([]) }
    for token in [-1, 12, .max] as [Int32] {
      let error = try #require(throws: ModelError.self) { try session.append([1, token]) }
      #expect(error.message == "the model has 12 tokens, and no token \(token)")
      #expect(error.layer == "tokens")
    }
    let error = try #require(throws: ModelError.self) {
      try session.append([Int32](repeating: 0, count: 8))
    }
    #expect(error.message == "8 tokens after 9 do not fit in caches of 16")
    session.setCancelled(true)
    #expect { try session.append([1, 2, 3, 4]) } throws: {
      ($0 as? ModelError)?.reason == .cancelled
    }
    #expect(session.count == 9)
    #expect(try session.hasScores(of: text))
    session.setCancelled(false)
    try session.append(text.ids[9...])
    #expect(try session.hasScores(of: text))
    #expect(!session.hasScoresOfEveryToken)
    for index in [14, 16] {
      #expect(throws: ModelError.self) { try session.readScores(after: index) { _ in } }
    }
  }

  @Test func `Canceling a sequence does not end the steps of another one`() throws {
    let (model, text) = (try #require(Decoder.mask.load().abilities.steps), Decoder.mask.text)
    let sessions = (try model.makeStepSession(), try model.makeStepSession())
    sessions.0.setCancelled(true)
    try sessions.1.append(text.ids[..<4])
    #expect { try sessions.0.append([1]) } throws: { ($0 as? ModelError)?.reason == .cancelled }
    try sessions.1.append(text.ids[4...])
    #expect(try sessions.1.hasScores(of: text))
  }

  @Test func `Sequences on several threads do not disturb each other`() async throws {
    let (model, text) = (try #require(Decoder.causal.load().abilities.steps), Decoder.causal.text)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for length in 1...4 {
        group.addTask {
          for _ in 0..<20 {
            let session = try model.makeStepSession()
            var rest = text.ids[...]
            while !rest.isEmpty {
              try session.append(rest.prefix(length))
              rest = rest.dropFirst(length)
              guard try session.hasScores(of: text) else { return false }
            }
          }
          return true
        }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
  }
}

@Suite struct DecoderDescriptionTests {
  private func message(_ body: () throws -> LiteRTModel) throws -> String {
    try #require(throws: ModelError.self) { _ = try body() }.message
  }

  @Test func `The signature has the tensors of the layers`() throws {
    let model = try Decoder.mask.load { $0.inputs.swapAt(0, 2) }
    #expect(model.signature.name == "decode")
    #expect(model.signature.inputs.map(\.layerName) == ["mask", "input_pos", "tokens"])
    #expect(model.signature.outputs.map(\.layerName) == ["logits"])
    #expect(model.signatures.map(\.name) == ["decode", "prefill_2", "prefill_4"])
  }

  @Test func `A length that the shapes do not show has to be declared`() throws {
    var decoder = Decoder.causal
    decoder.length = nil
    let shape = "[1,16,1,4]"
    #expect(
      try message { try decoder.load() }
        == "the shapes \(shape) and \(shape) of the caches do not show for how many tokens they have memory; set \"length\" in \"caches\""
    )
    decoder.length = 32
    #expect(
      try message { try decoder.load() }
        == "the length of the caches is 32, and they have the shapes \(shape) and \(shape)")
  }

  @Test func `Signatures for several lengths of caches are not supported`() throws {
    let names = [("prefill_2", "decode_12")]
    #expect(try message { try Decoder.causal.load(replacing: names) }.contains("'decode_12'"))
    #expect(
      try message { try Decoder.causal.load(replacing: [("decode\0", "decade\0")]) }
        == "caches require the signature 'decode', and the model has decade, prefill_2, prefill_4")
  }

  @Test func `Caches and layers that the model does not have are reported`() throws {
    #expect(
      try message { try Decoder.causal.load(cache: "past_*") }.contains("kv_cache_k_0"))
    #expect(
      try message {
        try Decoder.causal.load { $0.caches.append(CacheLink(output: "past_*", input: "past_*")) }
      } == "the model has no input 'past_*' for a cache")
    #expect(
      try message { try Decoder.causal.load { $0.inputs[0].name = "ids" } }.contains("'ids'"))
    #expect(
      try message { try Decoder.mask.load { $0.inputs.removeLast() } }.contains("'mask'"))
    #expect(
      try message { try Decoder.causal.load { $0.outputs[0].role = nil } }.contains(
        "next_token_scores"))
  }
}
