import TensorIOBundle
import TensorIOCore
import Testing

@testable import TensorIOTasks

@Suite struct CTCDecoderTests {
  /// Returns scores in which a class is the best of each column.
  private func scores(_ path: [Int], classes: Int) -> [Float] {
    path.enumerated().flatMap { column, best in
      (0..<classes).map { $0 == best ? 0.85 - 0.01 * Float(column) : 0.05 }
    }
  }

  @Test(
    arguments: [
      ([0, 1, 1, 0, 1, 2], "aab", 0.81667), ([1, 1, 1], "a", 0.85), ([0, 0], "", 0),
      ([2, 3, 3, 0, 3, 2], "b  b", 0.825), ([1, 2, 1, 2], "abab", 0.835),
    ] as [([Int], String, Float)])
  func `Repeated classes are one character unless the blank is between them`(
    path: [Int], text: String, score: Float
  ) throws {
    let decoder = CTCDecoder(["a", "b"], blank: .first, isProbability: true)
    let found = try #require(
      decoder.text(in: scores(path, classes: 4), columns: path.count, classes: 4))
    #expect(found.text == text && abs(found.score - score) < 1e-5)
  }

  @Test func `Words have the columns of their characters`() throws {
    let decoder = CTCDecoder(["a", "b"], blank: .first, isProbability: true)
    let path = [0, 1, 1, 2, 0, 3, 3, 2, 2, 0]
    let found = try #require(decoder.text(in: scores(path, classes: 4), columns: 10, classes: 4))
    #expect(found.words.map(\.text) == ["ab", "b"])
    #expect(found.words.map(\.columns) == [1..<4, 7..<9])
  }

  @Test func `The blank can be the last class, and characters can be spaces`() throws {
    let decoder = CTCDecoder(["a", "\u{3000}"], blank: .last, isProbability: true)
    let found = try #require(
      decoder.text(in: scores([0, 2, 0, 1, 2], classes: 3), columns: 5, classes: 3))
    #expect(found.text == "aa\u{3000}")
  }

  @Test func `Scores that are not probabilities are converted`() throws {
    let decoder = CTCDecoder(["a", "b"], blank: .first, isProbability: false)
    let found = try #require(decoder.text(in: [0, 2, 0, 0, 0, 5], columns: 2, classes: 3))
    #expect(found.text == "ab")
    #expect(abs(found.score - (0.7870 + 0.9867) / 2) < 1e-3)
  }

  @Test func `Values that are no numbers are blanks`() throws {
    let decoder = CTCDecoder(["a", "b"], blank: .first, isProbability: true)
    let found = try #require(
      decoder.text(in: [.nan, .nan, .nan, 0.1, 0.8, 0.1], columns: 2, classes: 3))
    #expect(found.text == "a")
  }

  @Test func `Another number of classes than that of the characters is rejected`() {
    let decoder = CTCDecoder(["a", "b"], blank: .first, isProbability: true)
    #expect(decoder.text(in: scores([1], classes: 5), columns: 1, classes: 5) == nil)
    #expect(decoder.text(in: scores([1], classes: 2), columns: 1, classes: 2) == nil)
    #expect(decoder.text(in: [], columns: 1, classes: 3) == nil)
    #expect(decoder.text(in: [], columns: 0, classes: 3)?.text == "")
  }

  @Test func `Beams find a text whose paths are more probable together than the best one`() throws {
    // Blank, a: the best path is two blanks, but 'a' has three paths.
    let scores: [Float] = [0.6, 0.4, 0.6, 0.4]
    let greedy = CTCDecoder(["a"], blank: .first, isProbability: true)
    let beams = CTCDecoder(["a"], blank: .first, isProbability: true, beamWidth: 4)
    #expect(greedy.text(in: scores, columns: 2, classes: 2)?.text == "")
    #expect(beams.text(in: scores, columns: 2, classes: 2)?.text == "a")
  }

  @Test func `Line feeds alone separate characters`() throws {
    let text = "a\n\u{2028}\n\u{85}\n\u{3000}\n \n\r\n"
    let characters = try CTCDecoder.characters(in: Array(text.utf8))
    #expect(characters == ["a", "\u{2028}", "\u{85}", "\u{3000}", " ", "\r"])
    #expect(throws: ModelError.self) { try CTCDecoder.characters(in: [0xFF]) }
  }
}
