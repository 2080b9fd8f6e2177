import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// The sections of voice activity.
@Suite struct ActivityDetectorTests {
  /// Returns the sections of windows of 100 samples at 1000 samples per second, without padding unless options have it.
  private func sections(
    _ probabilities: [Float], _ adjust: (inout ActivityOptions) -> Void = { _ in }
  ) -> [[Int]] {
    var options = ActivityOptions()
    (options.padding, options.minSpeech, options.minSilence) = (0, 0.1, 0.2)
    adjust(&options)
    let detector = ActivityDetector(options, hop: 100, sampleRate: 1000)
    return detector.sections(probabilities, length: 100 * probabilities.count).map {
      [$0.start, $0.end]
    }
  }

  @Test func `Speech begins above a threshold and ends after a pause below another one`() {
    #expect(sections([0, 0.6, 0.9, 0.4, 0.36, 0.9, 0.3, 0.1, 0.2, 0]) == [[100, 600]])
    #expect(sections([0, 0.49, 0.4, 0.3]).isEmpty)
  }

  @Test func `A short pause does not end a section, and a short section is left out`() {
    #expect(sections([0.9, 0.9, 0, 0, 0.9, 0.9, 0, 0, 0, 0]) == [[0, 600]])
    #expect(sections([0.9, 0, 0, 0, 0.9, 0.9, 0, 0, 0]) == [[400, 600]])
    #expect(sections([0, 0, 0.9]).isEmpty, "the last one as well")
  }

  @Test func `A section at the end lasts as long as the recording`() {
    #expect(sections([0, 0.9, 0.9, 0.9]) == [[100, 400]])
  }

  @Test func `A long section is cut at its longest pause, or else where it is too long`() {
    let pauses: [Float] = [0.9, 0.9, 0, 0.9, 0, 0, 0.9, 0.9, 0.9, 0.9, 0, 0, 0]
    #expect(
      sections(pauses) {
        ($0.maxSpeech, $0.minSilence) = (0.8, 0.3)
      } == [[0, 400], [600, 1300]])
    #expect(
      sections([0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0, 0, 0]) { $0.maxSpeech = 0.4 }
        == [[0, 400], [500, 900]])
  }

  @Test func `Padding is divided between sections that are near`() {
    let probabilities: [Float] = [0, 0, 0.9, 0.9, 0, 0, 0.9, 0.9, 0, 0, 0]
    for (padding, expected) in [
      (0.05, [[150, 450], [550, 850]]), (0.15, [[50, 500], [500, 950]]),
      (9, [[0, 500], [500, 1100]]),
    ] {
      let found = sections(probabilities) { options in
        (options.padding, options.minSilence) = (padding, 0.1)
      }
      #expect(found == expected)
    }
  }

  @Test func `Sections are in order, within the recording and apart`() {
    var random = SeededGenerator(seed: 9)
    for _ in 0..<300 {
      let probabilities = (0..<40).map { _ in Float.random(in: 0...1, using: &random) }
      let found = sections(probabilities) { options in
        options.padding = Double.random(in: 0...0.3, using: &random)
        options.minSilence = Double.random(in: 0...0.4, using: &random)
        options.maxSpeech = Bool.random(using: &random) ? 1 : nil
      }
      #expect(found.allSatisfy { 0 <= $0[0] && $0[0] < $0[1] && $0[1] <= 4000 })
      #expect(zip(found, found.dropFirst()).allSatisfy { $0[1] <= $1[0] })
    }
  }
}
