import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ClassificationTests {
  private func top(
    _ scores: [Float], _ count: Int = .max, above threshold: Float? = nil
  ) -> [Int] {
    Classification(labels: [], scores: scores).top(count, above: threshold).map(\.index)
  }

  @Test func `The highest scores come first, equal ones in the order of the output`() {
    #expect(top([0.1, 0.7, 0.2]) == [1, 2, 0])
    #expect(top([0.5, 0.9, 0.5, 0.9, 0.5]) == [1, 3, 0, 2, 4])
    #expect(top([0, -0.0, 0]) == [0, 1, 2])
    #expect(top([-.infinity, .infinity, 0]) == [1, 2, 0])
    #expect(top([]) == [])
  }

  @Test(arguments: [(2, 2), (0, 0), (-1, 0), (.min, 0), (3, 3), (9, 3), (.max, 3)])
  func `At most the requested number of entries is returned`(limit: Int, expected: Int) {
    #expect(top([1, 2, 3], limit).count == expected)
  }

  @Test func `A small selection equals the beginning of the full order`() {
    var generator = SeededGenerator(seed: 3)
    for _ in 0..<200 {
      let scores = (0..<Int.random(in: 0...90, using: &generator)).map { _ in
        [.nan, 0, 1, Float.random(in: 0...1, using: &generator)].randomElement(using: &generator)
          ?? 0
      }
      let all = top(scores)
      for count in [1, 2, 5, 31, 32, 33] { #expect(top(scores, count) == Array(all.prefix(count))) }
    }
  }

  @Test func `A score has to exceed the threshold`() {
    #expect(top([0.1, 0.2, 0.3], above: 0.2) == [2])
    #expect(top([0.1, 0.2, 0.3], above: 0.3) == [])
    #expect(top([0.1, 0.2, 0.3], above: -1) == [2, 1, 0])
    #expect(top([0.1, 0.2, 0.3], 1, above: 0) == [2])
    #expect(top([0.1], above: .nan) == [])
  }

  @Test func `NaN comes last and exceeds no threshold`() {
    #expect(top([.nan, 1, .nan, -.infinity]) == [1, 3, 0, 2])
    #expect(top([.nan, 1], above: -.infinity) == [1])
  }

  @Test func `Entries keep label, score and index`() {
    let classification = Classification(labels: ["cat", "dog"], scores: [0.25, 0.5])
    #expect(classification.top(1) == [.init(label: "dog", score: 0.5, index: 1)])
    #expect(classification.entries.map(\.label) == ["cat", "dog"])
    #expect(classification.count == 2)
    #expect(classification["cat"] == 0.25)
    #expect(classification["cow"] == nil)
  }

  @Test func `A score without a label gets its index as the label`() {
    let classification = Classification(labels: ["cat"], scores: [1, 2, 3])
    #expect(classification.entries.map(\.label) == ["cat", "1", "2"])
  }

  @Test func `Labels without a score are ignored`() {
    #expect(Classification(labels: ["a", "b", "c"], scores: [1]).entries.map(\.label) == ["a"])
  }

  @Test(
    arguments: [
      [0.25, 0.75], [0.75, 0.25], [.nan, 0.75], [0.75, .nan],
    ] as [[Float]])
  func `A label that occurs twice has its highest score in the dictionary`(scores: [Float]) {
    let classification = Classification(labels: ["crane", "crane"], scores: scores)
    #expect(classification.scoresByLabel == ["crane": 0.75])
    #expect(classification["crane"] == 0.75)
    #expect(classification.entries.count == 2)
  }

  @Test func `A value without labels has no top entries`() {
    let error = #expect(throws: ModelError.self) { try [1, 2].layerValue.top(1) }
    #expect(
      error?.reason == .wrongType(expected: "labels with scores", actual: "2 numbers"))
  }
}
