import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// The words that are heard in scores.
@Suite struct KeywordSpotterTests {
  /// Returns the times of the hits of one word, one second for each output.
  private func times(
    _ outputs: [Float], _ adjust: (inout KeywordOptions) -> Void = { _ in }
  ) -> [Double] {
    var options = KeywordOptions()
    options.pause = 0
    adjust(&options)
    var spotter = KeywordSpotter(options)
    return outputs.enumerated().flatMap { index, output in
      spotter.add([output], at: Double(index)).hits.map(\.time)
    }
  }

  @Test func `A word is heard where its score reaches the threshold`() {
    #expect(times([0, 0.49, 0.5, 0.2, 0.9]) == [2, 4])
    #expect(times([0, 0.49, 0.5, 0.2, 0.9]) { $0.threshold = 0.91 }.isEmpty)
    #expect(times([]).isEmpty)
  }

  @Test func `A word is not heard again during the pause`() {
    let outputs: [Float] = [0.9, 0.9, 0, 0.9, 0.9, 0.9, 0.9]
    #expect(times(outputs) { $0.pause = 3 } == [0, 3, 6])
    #expect(times(outputs) { $0.pause = 3.5 } == [0, 4])
    #expect(times(outputs) { $0.pause = 100 } == [0])
  }

  @Test func `Several scores in a row are needed`() {
    let outputs: [Float] = [0.9, 0.9, 0, 0.9, 0.9, 0.9]
    #expect(times(outputs) { $0.minSteps = 3 } == [5])
    #expect(times(outputs) { $0.minSteps = 4 }.isEmpty)
  }

  @Test func `A score is the mean of the last outputs, and 0 until there are enough`() {
    var options = KeywordOptions()
    (options.meanSteps, options.threshold) = (3, 0.6)
    var spotter = KeywordSpotter(options)
    let outputs: [Float] = [1, 1, 0.25, 0.25, 1, 1]
    let scores = outputs.map { spotter.add([$0], at: 0).scores[0] }
    #expect(scores == [0, 0, 0.75, 0.5, 0.5, 0.75])
    #expect(times(outputs) { ($0.meanSteps, $0.threshold) = (3, 0.6) } == [2, 5])
  }

  @Test func `Words do not silence each other`() {
    var spotter = KeywordSpotter(KeywordOptions())
    #expect(spotter.add([0.9, 0.1], at: 0).hits.map(\.word) == [0])
    #expect(spotter.add([0.9, 0.9], at: 1).hits.map(\.word) == [1])
    #expect(spotter.add([0.9, 0.9], at: 2).hits.map(\.word) == [0])
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func `Outputs that are no numbers count as 0`(_ output: Float) {
    #expect(times([output, 0.9, output, 0.9]) { $0.minSteps = 2 }.isEmpty)
    #expect(times([0.9, output, 0.9]) { $0.meanSteps = 3 } == [2])
  }

  @Test func `A higher threshold hears no more words`() {
    var random = SeededGenerator(seed: 4)
    for _ in 0..<100 {
      let outputs = (0..<60).map { _ in Float.random(in: 0...1, using: &random) }
      var last = Int.max
      for threshold in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let count = times(outputs) { ($0.threshold, $0.minSteps) = (threshold, 2) }.count
        #expect(count <= last)
        last = count
      }
    }
  }
}
