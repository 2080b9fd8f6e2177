import TensorIOGeneration
import Testing

@testable import TensorIOTasks

/// The rules for the tokens of a window.
@Suite struct SpeechTokensTests {
  /// Texts are 0 to 9, the end is 10, the start 11, and times begin at 15.
  private let tokens: SpeechTokens = {
    var tokens = SpeechTokens(start: 11, end: 10, withoutTimes: 14)
    (tokens.suppressed, tokens.suppressedAtFirst) = ([3, 11, 12, 13], [1, 10])
    tokens.maxInitialTime = 2
    return tokens
  }()

  /// Returns the tokens that may follow others, where all texts have a score and all times have another one.
  private func allowed(
    after sampled: [Int32], text: Float = 5, time: Float = 0
  ) throws -> [Int32] {
    var scores = TokenScores()
    let row = (0..<25).map { $0 < 15 ? text : time }
    try scores.replace(with: row.span)
    tokens.applyRules(to: &scores, after: sampled)
    return (0..<25).filter { scores[$0] > -.infinity }
  }

  @Test func `The first token is a time up to the latest one`() throws {
    #expect(try allowed(after: []) == [15, 16, 17])
  }

  @Test func `Text follows the first time`() throws {
    #expect(try allowed(after: [15]) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10])
  }

  @Test func `Text, the end or a later time follows text`() throws {
    #expect(try allowed(after: [17, 2]) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10] + Array(18...24))
  }

  @Test func `The same time, a later one or the end follows a time after text`() throws {
    #expect(try allowed(after: [15, 2, 18]) == [10] + Array(18...24))
  }

  @Test func `Text follows a pair of times`() throws {
    #expect(try allowed(after: [15, 2, 18, 18]) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10])
    #expect(
      try allowed(after: [15, 2, 18, 20, 4]) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10] + Array(21...24))
  }

  @Test func `Times that are more probable together than each text exclude texts`() throws {
    // Ten times of equal scores have the sum of a score that is 2.3 higher.
    #expect(try allowed(after: [15, 2], text: 5, time: 3) == Array(16...24))
    #expect(try allowed(after: [15, 2], text: 5.4, time: 3).contains(0))
  }

  @Test func `A vocabulary that ends before the latest first time has fewer times`() throws {
    var scores = TokenScores()
    try scores.replace(with: [Float](repeating: 1, count: 16).span)
    tokens.applyRules(to: &scores, after: [])
    #expect((0..<16).filter { scores[$0] > -.infinity } == [15])
  }
}
