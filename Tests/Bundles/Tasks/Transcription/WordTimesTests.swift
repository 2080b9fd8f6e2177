import Testing

@testable import TensorIOTasks

/// The corrections of the times of words.
@Suite struct WordTimesTests {
  private func words(_ entries: (String, Double, Double)...) -> [WordTimes.Word] {
    entries.enumerated().map { index, entry in
      WordTimes.Word(
        text: entry.0, tokens: [Int32(index)], start: entry.1, end: entry.2, probability: 1)
    }
  }

  @Test func `Punctuation belongs to the word beside it`() {
    let times = WordTimes(
      words(
        (" He", 0, 0.2), (" said", 0.2, 0.4), (",", 0.4, 0.5), (" \"", 0.5, 0.6), ("yes", 0.6, 0.8),
        (".\"", 0.8, 0.9)))
    #expect(
      times.words.filter { !$0.text.isEmpty }.map(\.text) == [" He", " said,", " \"yes", ".\""])
  }

  @Test func `The end of a sentence is not longer than two usual words`() {
    let times = WordTimes(
      words((" a", 0, 0.2), (" b", 0.2, 0.4), (" c", 0.4, 0.6), (".", 0.6, 3), (" d", 3, 5)))
    #expect(times.words[2].text == " c.")
    #expect(times.words[3].text.isEmpty)
    #expect(times.words[3].end == 1.0)
    // The word after the end of a sentence begins late, not early.
    #expect(times.words[4].start == 4.6)
  }

  @Test func `A long first word after a pause begins later`() {
    var segments = [segment(0, 6)]
    let words = words((" a", 0, 5), (" b", 5, 5.2), (" c", 5.2, 5.4), (" d", 5.4, 5.6))
    WordTimes(words).assign(to: &segments, texts: [[0, 1, 2, 3]], offset: 0, after: 0)
    #expect(segments[0].words.map(\.text) == [" a", " b", " c", " d"])
    #expect(abs(segments[0].words[0].start - 4.6) < 1e-9)
    #expect(abs(segments[0].start - 4.6) < 1e-9)
    #expect(segments[0].end == 5.6)
  }

  @Test func `Segments without words keep their times`() {
    var segments = [segment(1, 2), segment(2, 3)]
    WordTimes(words((" a", 0, 0.5))).assign(
      to: &segments, texts: [[], [0]], offset: 2, after: 0)
    #expect((segments[0].start, segments[0].end) == (1, 2))
    #expect(segments[1].words.map(\.text) == [" a"])
    #expect(segments[1].words[0].start == 2)
  }

  private func segment(_ start: Double, _ end: Double) -> Transcript.Segment {
    Transcript.Segment(
      start: start, end: end, text: "", averageLogProbability: 0, silenceProbability: 0,
      compressionRatio: 1, temperature: 0, seek: 0)
  }
}
