import TensorIOBundle
import TensorIOCore
import Testing

@testable import TensorIOGeneration

/// The steps that sequences run to read the scores of a text.
@Suite struct TokenSequenceTests {
  /// A session that records its steps; the score of a token is the token.
  private final class Session: StepSession, @unchecked Sendable {  // used by one test at a time
    let hasScoresOfEveryToken: Bool
    private(set) var steps: [Int] = []
    private(set) var truncations: [Int] = []
    private var tokens: [Int32] = []
    private var firstOfStep = 0

    init(hasScoresOfEveryToken: Bool) { self.hasScoresOfEveryToken = hasScoresOfEveryToken }

    var count: Int { tokens.count }
    let capacity: Int? = nil
    let vocabularySize = 1

    func cacheByteCount(for count: Int) -> Int { 10 * count }

    func append(_ tokens: [Int32], returning outputs: [String]) throws(ModelError) -> [Tensor] {
      firstOfStep = self.tokens.count
      self.tokens += tokens
      steps.append(tokens.count)
      return []
    }

    func readScores(
      after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
    ) throws(ModelError) {
      let first = hasScoresOfEveryToken ? firstOfStep : tokens.count - 1
      guard (first..<tokens.count).contains(index) else { throw ModelError(.run, .failed("none")) }
      try body([Float(tokens[index])].span)
    }

    func truncate(to count: Int) {
      truncations.append(count)
      tokens.removeLast(max(0, tokens.count - count))
    }

    func begin(with values: [String: Tensor]) { tokens = [] }
    func fork() throws(ModelError) -> any StepSession { self }
    func setCancelled(_ isCancelled: Bool) {}
  }

  /// Returns the tokens with the scores before them.
  private func scores(
    _ sequence: TokenSequence, of ids: [Int32], from start: Int
  ) throws -> [[Int]] {
    var result: [[Int]] = []
    try sequence.readScores(of: ids[...], from: start) { (id, scores) throws(ModelError) in
      result.append([Int(id), Int(scores[0])])
    }
    return result
  }

  @Test(arguments: [true, false])
  func `A common beginning runs once, and each token has the scores before it`(
    _ hasScoresOfEveryToken: Bool
  ) throws {
    let session = Session(hasScoresOfEveryToken: hasScoresOfEveryToken)
    let sequence = TokenSequence(session)
    let prompt = Array(1...300 as ClosedRange<Int32>)
    #expect(
      try scores(sequence, of: prompt + [7, 8, 9], from: 300) == [[7, 300], [8, 7], [9, 8]])
    #expect(session.steps == [128, 128, 43] + (hasScoresOfEveryToken ? [3] : [1, 1, 1]))
    let steps = session.steps.count
    #expect(try scores(sequence, of: prompt + [5], from: 300) == [[5, 300]])
    #expect(session.truncations.last == 299)
    #expect(session.steps[steps...] == [1], "the last token of the prompt")
  }

  @Test func `Long texts are scored in chunks`() throws {
    let session = Session(hasScoresOfEveryToken: true)
    let ids = Array(0..<260 as Range<Int32>)
    let scores = try scores(TokenSequence(session), of: ids, from: 1)
    #expect(scores == (1..<260).map { [$0, $0 - 1] })
    #expect(session.steps == [128, 128, 3])
  }

  @Test func `Caches beyond the limit are an error`() throws {
    let sequence = TokenSequence(Session(hasScoresOfEveryToken: true))
    try sequence.requireMemory(for: 10, maxByteCount: 100)
    #expect(throws: ModelError.self) {
      try sequence.requireMemory(for: 11, maxByteCount: 100)
    }
  }
}
