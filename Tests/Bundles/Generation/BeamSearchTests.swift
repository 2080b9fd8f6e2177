import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import TensorIOText
import Testing

@testable import TensorIOGeneration

/// The text that a search finds among several.
@Suite struct BeamSearchTests {
  /// A model whose scores depend on the last token and the number of tokens.
  private final class Session: StepSession, @unchecked Sendable {  // used by one test at a time
    let table: @Sendable ([Int32]) -> [Float]
    private(set) var stepCount = 0
    private var tokens: [Int32] = []

    init(_ table: @escaping @Sendable ([Int32]) -> [Float]) { self.table = table }

    var count: Int { tokens.count }
    let capacity: Int? = nil
    var vocabularySize: Int { table([0]).count }
    let hasScoresOfEveryToken = false

    func cacheByteCount(for count: Int) -> Int { 10 * count }

    func append(_ tokens: [Int32], returning outputs: [String]) throws(ModelError) -> [Tensor] {
      self.tokens += tokens
      stepCount += 1
      return []
    }

    func readScores(
      after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
    ) throws(ModelError) {
      try body(table(Array(tokens.dropFirst())).span)
    }

    func truncate(to count: Int) { tokens.removeLast(max(0, tokens.count - count)) }
    func begin(with values: [String: Tensor]) { tokens = [] }

    func fork() throws(ModelError) -> any StepSession {
      let fork = Session(table)
      fork.tokens = tokens
      return fork
    }

    func setCancelled(_ isCancelled: Bool) {}
  }

  /// Tokens that are letters, and one that ends a text.
  private struct Letters: Tokenizer {
    let vocabularySize = 4
    let specialTokens = SpecialTokens()
    let decodings: [TokenDecoding] = []
    func tokenize(_ text: [UInt8]) -> [Token] { [] }
    func bytesToDecode(of id: Int32) -> ArraySlice<UInt8>? { [97 + UInt8(id)] }
    func text(of id: Int32) -> String? { String(UnicodeScalar(97 + UInt8(id))) }
    func id(of token: String) -> Int32? { nil }
  }

  private static func text(stop: [String] = []) -> WrittenText {
    WrittenText(Letters(), stop: stop, nil)
  }

  private static func logarithms(_ scores: [Float]) -> [Double] {
    let total = log(scores.reduce(0) { $0 + exp(Double($1)) })
    return scores.map { Double($0) - total }
  }

  private func search(
    _ options: SamplingOptions, maxTokens: Int, end: Int32, written: WrittenText? = nil,
    isCancelled: () -> Bool = { false },
    _ table: @escaping @Sendable ([Int32]) -> [Float]
  ) throws -> BeamSearch.Found {
    let session = Session(table)
    let sequence = TokenSequence(session)
    let turn = try sequence.begin(with: [0]) { false }.turn
    let count = session.vocabularySize
    var sampler = try Sampler(options, scoreCount: count, tokenCount: count, endTokens: [end])
    var search = BeamSearch(
      for: written ?? Self.text(), in: sequence, turn: turn, options, endTokens: [end],
      maxTokens: maxTokens)
    return try search.best(isCancelled: isCancelled) { (text, scores, count) throws(ModelError) in
      let output = text.tokens
      return try ModelError.rethrowing { () throws(SamplingError) in
        try sampler.mostProbable(count, in: scores, prompt: [0], output: output, mask: nil)
      }
    }
  }

  /// Returns the best of all texts by their scores, without the token that ends it.
  private func best(
    _ lengthPenalty: Double, maxTokens: Int, end: Int32, _ table: ([Int32]) -> [Float]
  ) -> [Int32] {
    var best: (tokens: [Int32], score: Double) = ([], -.infinity)
    var open: [(tokens: [Int32], sum: Double)] = [([], 0)]
    for length in 1...maxTokens {
      var next: [(tokens: [Int32], sum: Double)] = []
      for text in open {
        for (id, logarithm) in Self.logarithms(table(text.tokens)).enumerated() {
          let sum = text.sum + logarithm
          let isEnd = id == Int(end)
          let tokens = isEnd ? text.tokens : text.tokens + [Int32(id)]
          let score = sum / pow(Double(length), lengthPenalty)
          if isEnd || length == maxTokens {
            if score > best.score { best = (tokens, score) }
          } else {
            next.append((tokens, sum))
          }
        }
      }
      open = next
    }
    return best.tokens
  }

  @Test(arguments: 0..<20, [0.0, 1, 2])
  func `A search that follows all texts finds the best one`(
    _ seed: Int, _ lengthPenalty: Double
  ) throws {
    let table = { @Sendable (tokens: [Int32]) -> [Float] in
      let key = tokens.reduce(seed * 31 + 7) { 31 &* $0 &+ Int($1) + 1 }
      var random = SeededGenerator(seed: UInt64(bitPattern: Int64(key)))
      return (0..<3).map { _ in Float.random(in: -2...2, using: &random) }
    }
    var options = SamplingOptions()
    (options.beams, options.lengthPenalty) = (SamplingOptions.maxBeams, lengthPenalty)
    let found = try search(options, maxTokens: 4, end: 2, table)
    #expect(found.tokens == best(lengthPenalty, maxTokens: 4, end: 2, table))
  }

  /// The most probable first token leads to texts that are less probable.
  @Sendable private static func misleading(_ tokens: [Int32]) -> [Float] {
    let probabilities: [Float] =
      switch tokens {
      case []: [0.5, 0.4, 0.1]
      case [1]: [0.05, 0.05, 0.9]
      default: [0.35, 0.33, 0.32]
      }
    return probabilities.map { log($0) }
  }

  @Test func `Two texts find what one does not`() throws {
    var options = SamplingOptions()
    options.beams = 2
    let found = try search(options, maxTokens: 5, end: 2, Self.misleading)
    #expect(found.tokens == [1])
    #expect(abs(found.logProbability - log(0.4 * 0.9)) < 1e-6)
  }

  @Test func `A penalty prefers longer or shorter texts`() throws {
    // A text of n tokens ends with the probability 0.4, and goes on with 0.6.
    let table = { @Sendable (tokens: [Int32]) -> [Float] in [log(0.6), log(0.4)] }
    var options = SamplingOptions()
    options.beams = 4
    options.lengthPenalty = 0
    #expect(try search(options, maxTokens: 6, end: 1, table).tokens == [])
    options.lengthPenalty = 2
    #expect(try search(options, maxTokens: 6, end: 1, table).tokens == [0, 0, 0, 0, 0, 0])
  }

  @Test func `A search that stops early keeps the first texts that end`() throws {
    let table = { @Sendable (tokens: [Int32]) -> [Float] in
      [tokens.count < 3 ? log(0.4) : log(0.98), log(0.1), tokens.count < 3 ? log(0.5) : log(0.01)]
    }
    var options = SamplingOptions()
    (options.beams, options.lengthPenalty) = (2, 2)
    let whole = try search(options, maxTokens: 12, end: 2, table)
    options.stopsEarly = true
    let early = try search(options, maxTokens: 12, end: 2, table)
    #expect(early.tokens.count < whole.tokens.count)
  }

  @Test func `A text with a stop string is whole`() throws {
    let table = { @Sendable (tokens: [Int32]) -> [Float] in
      tokens.isEmpty ? [log(0.1), log(0.85), log(0.05)] : [log(0.6), log(0.3), log(0.1)]
    }
    var options = SamplingOptions()
    options.beams = 3
    options.lengthPenalty = 0
    let found = try search(
      options, maxTokens: 6, end: 2, written: Self.text(stop: ["b"]), table)
    #expect(found.tokens == [1])
  }

  @Test func `Penalties and bans hold in each text`() throws {
    let table = { @Sendable (tokens: [Int32]) -> [Float] in [2, 1, 0, -9] }
    var options = SamplingOptions()
    options.beams = 3
    options.bannedTokens = [0]
    options.noRepeatNGramSize = 1
    let found = try search(options, maxTokens: 3, end: 3, table)
    #expect(found.tokens.prefix(2) == [1, 2])
    options.bannedTokens = [0, 1, 2, 3]
    #expect(throws: ModelError.self) { try search(options, maxTokens: 3, end: 3, table) }
  }

  @Test func `A canceled search ends, and one with scores that are not numbers fails`() throws {
    var options = SamplingOptions()
    options.beams = 2
    var stepCount = 0
    let error = #expect(throws: ModelError.self) {
      try search(
        options, maxTokens: 100, end: 2,
        isCancelled: {
          stepCount += 1
          return stepCount > 5
        }, { _ in [1, 1, -9] })
    }
    #expect(error?.code == "cancelled")
    #expect(stepCount == 6)
    #expect(throws: ModelError.self) {
      try search(options, maxTokens: 9, end: 2, { _ in [.nan, 1, 1] })
    }
  }

  @Test func `Several texts are for the temperature 0 only`() throws {
    for (beams, temperature) in [(0, 0.0), (65, 0), (2, 0.5)] {
      var options = SamplingOptions()
      (options.beams, options.temperature) = (beams, temperature)
      #expect(throws: SamplingError.self) { try Sampler(options, scoreCount: 3, tokenCount: 3) }
    }
  }
}
