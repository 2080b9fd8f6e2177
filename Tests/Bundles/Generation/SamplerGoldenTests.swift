import Foundation
import TensorIOJSON
import TensorIOTestSupport
import TensorIOText
import Testing

@testable import TensorIOGeneration

/// Comparisons with a reference in double precision, which follows `transformers`.
///
/// `Scripts/fixtures/golden/make-sampling.py` writes the fixture.
struct SamplerGoldenTests {
  /// A step with its settings and results.
  private struct Case {
    let options: SamplingOptions
    let logits: [Float]
    let prompt: [Int32]
    let output: [Int32]
    let end: [Int32]
    let mask: TokenMask?
    let stream: UInt64
    let tokens: [Int32]
    /// The scores of the tokens that can be chosen; empty if the choice is greedy.
    let scores: [Int32: Double]

    init(_ json: JSONValue) {
      func ids(_ value: JSONValue?) -> [Int32] {
        (value?.elements ?? []).compactMap(\.int).map { Int32($0) }
      }
      let settings = json["settings"] ?? [:]
      let logits = (json["logits"]?.elements ?? []).compactMap(\.double).map { Float($0) }
      options = Self.options(settings, seed: UInt64(json["seed"]?.int ?? 0))
      (prompt, output, end) = (ids(json["prompt"]), ids(json["output"]), ids(json["end"]))
      self.logits = logits
      mask = settings["mask"].map { allowed in
        var mask = TokenMask(tokenCount: logits.count)
        for id in ids(allowed) { mask.insert(id) }
        return mask
      }
      stream = UInt64(json["stream"]?.int ?? 0)
      tokens = ids(json["tokens"])
      var scores: [Int32: Double] = [:]
      for member in json["scores"]?.members ?? [] {
        if let id = Int32(member.key) { scores[id] = member.value.double }
      }
      self.scores = scores
    }

    private static func options(_ settings: JSONValue, seed: UInt64) -> SamplingOptions {
      var options = SamplingOptions()
      options.temperature = settings["temperature"]?.double ?? 0
      options.topK = settings["top_k"]?.int ?? 0
      options.topP = settings["top_p"]?.double ?? 1
      options.minP = settings["min_p"]?.double ?? 0
      options.typicalP = settings["typical_p"]?.double ?? 1
      options.epsilonCutoff = settings["epsilon_cutoff"]?.double ?? 0
      options.etaCutoff = settings["eta_cutoff"]?.double ?? 0
      options.repetitionPenalty = settings["repetition_penalty"]?.double ?? 1
      options.frequencyPenalty = settings["frequency_penalty"]?.double ?? 0
      options.presencePenalty = settings["presence_penalty"]?.double ?? 0
      options.noRepeatNGramSize = settings["no_repeat_ngram_size"]?.int ?? 0
      options.minNewTokens = settings["min_new_tokens"]?.int ?? 0
      for member in settings["logit_bias"]?.members ?? [] {
        if let id = Int32(member.key) { options.biases[id] = member.value.double }
      }
      let banned = (settings["suppress_tokens"]?.elements ?? []).compactMap(\.int)
      options.bannedTokens = Set(banned.map { Int32($0) })
      options.seed = seed
      return options
    }
  }

  private static func fixture() throws -> JSONValue {
    let path = ProjectFiles.path("Tests/Fixtures/Generation/sampling.json")
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
    return try JSONDocument(parsing: bytes).root.value
  }

  @Test func `Scores and tokens equal the reference`() throws {
    let cases = (try Self.fixture()["cases"]?.elements ?? []).map(Case.init)
    #expect(cases.count == 200)
    for item in cases {
      var sampler = try Sampler(
        item.options, scoreCount: item.logits.count, tokenCount: item.logits.count,
        endTokens: item.end, stream: item.stream)
      if !item.scores.isEmpty {
        let (ids, scores) = try sampler.candidates(
          item.logits.span, prompt: item.prompt, output: item.output, mask: item.mask)
        #expect(ids == item.scores.keys.sorted(), "\(item.options)")
        for (id, score) in zip(ids, scores) {
          #expect(score == item.scores[id], "\(item.options)")
        }
      }
      for token in item.tokens {
        let chosen = try sampler.next(
          item.logits.span, prompt: item.prompt, output: item.output, mask: item.mask)
        #expect(chosen == token, "\(item.options)")
      }
    }
  }
}
