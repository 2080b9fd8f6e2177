import Foundation
import TensorIOText
import Testing

@testable import TensorIOGeneration

struct SamplerTests {
  /// Returns scores that differ and have no order.
  private func scores(_ count: Int, scale: Float = 8) -> [Float] {
    var state: UInt32 = 1
    return (0..<count).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return (Float(state >> 8) / Float(1 << 24) - 0.5) * scale
    }
  }

  private func sampler(
    _ options: SamplingOptions, _ count: Int, tokens: Int? = nil
  ) throws -> Sampler {
    try Sampler(options, scoreCount: count, tokenCount: tokens ?? count)
  }

  @Test(arguments: [1, 7, 64, 65, 1000, 49_152, 260_000])
  func `The highest score wins, the lowest id among equals`(count: Int) throws {
    var scores = scores(count)
    var sampler = try sampler(SamplingOptions(), count)
    let highest = try #require(scores.max())
    #expect(
      try sampler.next(scores.span, prompt: [], output: [])
        == Int32(try #require(scores.firstIndex(of: highest))))
    for id in [count - 1, count / 2] {
      scores[id] = 100
      #expect(try sampler.next(scores.span, prompt: [], output: []) == Int32(id))
    }
  }

  @Test func `Scores that are not finite are an error`() throws {
    for invalid in [Float.nan, -.nan, .infinity, .signalingNaN] {
      for id in [0, 17, 130, 149] {
        var scores = scores(150)
        scores[id] = invalid
        var sampler = try sampler(SamplingOptions(), 150)
        #expect(throws: SamplingError.nonfiniteScore(token: Int32(id))) {
          try sampler.next(scores.span, prompt: [], output: [])
        }
        #expect(throws: SamplingError.nonfiniteScore(token: Int32(id))) {
          try sampler.logProbabilities(of: 0, top: 1, in: scores.span)
        }
      }
    }
  }

  @Test func `Scores of padding are ignored`() throws {
    var scores = scores(128)
    for id in 100..<128 { scores[id] = id == 101 ? .nan : 1e30 }
    var options = SamplingOptions()
    for temperature in [0.0, 1] {
      options.temperature = temperature
      var sampler = try sampler(options, 128, tokens: 100)
      for _ in 0..<20 {
        #expect(try sampler.next(scores.span, prompt: [120, -1], output: [500]) < 100)
      }
    }
  }

  @Test func `Another number of scores is an error`() throws {
    var sampler = try sampler(SamplingOptions(), 10)
    #expect(throws: SamplingError.wrongScoreCount(9, expected: 10)) {
      try sampler.next(scores(9).span, prompt: [], output: [])
    }
  }

  @Test func `A token is never chosen if none is allowed`() throws {
    var options = SamplingOptions()
    options.topK = 3
    options.topP = 0.5
    let scores = scores(70)
    let none = TokenMask(tokenCount: 70)
    var one = none
    one.insert(69)
    let banned = [Float](repeating: -.infinity, count: 70)
    for temperature in [0.0, 1] {
      options.temperature = temperature
      options.bannedTokens = []
      var sampler = try sampler(options, 70)
      #expect(throws: SamplingError.noTokenAllowed) {
        try sampler.next(scores.span, prompt: [], output: [], mask: none)
      }
      #expect(throws: SamplingError.noTokenAllowed) {
        try sampler.next(banned.span, prompt: [], output: [])
      }
      #expect(try sampler.next(scores.span, prompt: [], output: [], mask: one) == 69)
      // A mask of fewer tokens does not allow the others.
      #expect(throws: SamplingError.noTokenAllowed) {
        try sampler.next(scores.span, prompt: [], output: [], mask: TokenMask(tokenCount: 3))
      }
      options.bannedTokens = Set(0..<70)
      var banning = try self.sampler(options, 70)
      #expect(throws: SamplingError.noTokenAllowed) {
        try banning.next(scores.span, prompt: [], output: [])
      }
    }
  }

  @Test func `Options out of range are an error`() throws {
    let changes: [(String, (inout SamplingOptions) -> Void)] = [
      ("temperature", { $0.temperature = -1 }), ("temperature", { $0.temperature = .nan }),
      ("topK", { $0.topK = -1 }), ("topP", { $0.topP = 0 }), ("topP", { $0.topP = 1.1 }),
      ("minP", { $0.minP = -0.1 }), ("typicalP", { $0.typicalP = 0 }),
      ("epsilonCutoff", { $0.epsilonCutoff = 1 }), ("etaCutoff", { $0.etaCutoff = -1 }),
      ("repetitionPenalty", { $0.repetitionPenalty = 0 }),
      ("frequencyPenalty", { $0.frequencyPenalty = .infinity }),
      ("presencePenalty", { $0.presencePenalty = .nan }),
      ("noRepeatNGramSize", { $0.noRepeatNGramSize = -1 }),
      ("minNewTokens", { $0.minNewTokens = -1 }), ("biases", { $0.biases = [1: .infinity] }),
    ]
    for (name, change) in changes {
      var options = SamplingOptions()
      change(&options)
      #expect {
        _ = try Sampler(options, scoreCount: 4, tokenCount: 4)
      } throws: { error in
        guard case .invalidOption(name, _)? = error as? SamplingError else { return false }
        return true
      }
    }
  }

  @Test func `A filter leaves the same tokens in a large vocabulary as sorting does`() throws {
    for (count, scale) in [(49_152, Float(8)), (49_152, 0.01), (130, 4), (260_000, 30)] {
      var scores = scores(count, scale: scale)
      for id in stride(from: 5, to: count, by: 97) { scores[id] = scores[5] }
      var options = SamplingOptions()
      options.temperature = 0.7
      for (k, p) in [(50, 1.0), (0, 0.9), (50, 0.9), (0, 0.0001), (count - 1, 0.999), (1, 1)] {
        options.topK = k
        options.topP = p
        var sampler = try sampler(options, count)
        let kept = try sampler.candidates(scores.span, prompt: [], output: []).ids
        #expect(kept == sorted(scores, k, p, 0.7), "\(count) \(scale) \(k) \(p)")
      }
    }
  }

  /// Returns the tokens that top-k and top-p keep.
  private func sorted(_ scores: [Float], _ k: Int, _ p: Double, _ temperature: Double) -> [Int32] {
    let scaled = scores.map { Double($0) / temperature }
    var order = scores.indices.sorted {
      scaled[$0] < scaled[$1] || scaled[$0] == scaled[$1] && $0 > $1
    }
    if k > 0, k < order.count {
      let least = scaled[order[order.count - k]]
      order.removeAll { scaled[$0] < least }
    }
    guard p < 1, let best = order.last else { return order.map { Int32($0) }.sorted() }
    let weights = order.map { exp(scaled[$0] - scaled[best]) }
    let total = weights.reduce(0, +)
    var running = 0.0
    var removed = 0
    while removed < order.count - 1 {
      running += weights[removed] / total
      guard running <= 1 - p else { break }
      removed += 1
    }
    return order[removed...].map { Int32($0) }.sorted()
  }

  @Test func `Draws follow the probabilities`() throws {
    var options = SamplingOptions()
    options.temperature = 1
    options.seed = 3
    let probabilities: [Float] = [0.5, 0.25, 0.125, 0.125]
    let scores = probabilities.map { log($0) }
    var sampler = try sampler(options, 4)
    var counts = [0, 0, 0, 0]
    for _ in 0..<8000 { counts[Int(try sampler.next(scores.span, prompt: [], output: []))] += 1 }
    for (count, probability) in zip(counts, probabilities) {
      #expect(abs(Float(count) / 8000 - probability) < 0.02)
    }
  }

  @Test func `Greedy choices take no random number`() throws {
    var options = SamplingOptions()
    options.temperature = 1
    let scores = scores(50)
    var first = try Sampler(options, scoreCount: 50, tokenCount: 50, stream: 1)
    var second = try Sampler(options, scoreCount: 50, tokenCount: 50, stream: 2)
    let tokens = try (0..<20).map { _ in try first.next(scores.span, prompt: [], output: []) }
    let others = try (0..<20).map { _ in try second.next(scores.span, prompt: [], output: []) }
    #expect(tokens != others)
    _ = try second.logProbabilities(of: 3, top: 5, in: scores.span)
    var again = try Sampler(options, scoreCount: 50, tokenCount: 50, stream: 1)
    _ = try again.logProbabilities(of: 3, top: 5, in: scores.span)
    #expect(try (0..<20).map { _ in try again.next(scores.span, prompt: [], output: []) } == tokens)
  }

  @Test(arguments: [(3, 20), (200, 5), (49_152, 20), (49_152, 0)])
  func `Logarithms of probabilities are those of the scores`(count: Int, top: Int) throws {
    let scores = scores(count)
    var options = SamplingOptions()
    options.repetitionPenalty = 2
    options.temperature = 0.5
    var sampler = try sampler(options, count)
    let result = try sampler.logProbabilities(of: 1, top: top, in: scores.span)
    let highest = Double(try #require(scores.max()))
    let total = highest + log(scores.map { exp(Double($0) - highest) }.reduce(0, +))
    #expect(abs(result.token.logProbability - (Double(scores[1]) - total)) < 1e-12)
    let order = scores.indices.sorted {
      scores[$0] > scores[$1] || scores[$0] == scores[$1] && $0 < $1
    }
    #expect(result.top.map(\.id) == order.prefix(top).map { Int32($0) })
    for entry in result.top {
      #expect(abs(entry.logProbability - (Double(scores[Int(entry.id)]) - total)) < 1e-12)
    }
  }

  @Test func `The exponential function and the logarithm are exact to the last bits`() {
    var worst = 0.0
    for index in 0..<200_000 {
      let number = -700 * pow(Double(index) / 200_000, 3)
      let expected = exp(number)
      worst = max(worst, abs(Exponential.exp(number) - expected) / expected.ulp)
    }
    #expect(worst < 2)
    #expect(Exponential.exp(0) == 1)
    #expect(Exponential.exp(-709) == 0)
    #expect(Exponential.exp(-.infinity) == 0)
    for number in [1e-300, 0.1, 0.5, 0.999, 1, 1.5, 2, 3, 1e5, 260_000, 1e300] {
      #expect(abs(Exponential.log(number) - log(number)) <= 4 * max(log(number).magnitude, 0.5).ulp)
    }
  }
}
