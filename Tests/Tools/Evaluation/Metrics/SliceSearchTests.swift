import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct SliceSearchTests {
  /// Returns 400 items with random attributes, of which a share is wrong.
  private func result(
    seed: UInt64 = 1, _ errorRate: ([String: String]) -> Double
  ) -> EvaluationResult {
    var random = SeededGenerator(seed: seed)
    var result = EvaluationResult(
      model: EvaluatedModel(path: "", name: "", id: "", version: ""), data: "")
    let outcomes = (0..<400).map { index in
      let attributes = [
        "site": ["A", "B", "C"].randomElement(using: &random) ?? "",
        "device": ["camera", "scanner"].randomElement(using: &random) ?? "",
        "id": "\(index)",
      ]
      let isCorrect = Double.random(in: 0..<1, using: &random) >= errorRate(attributes)
      return ItemOutcome(
        name: "\(index)", isCorrect: isCorrect, loss: isCorrect ? 0.1 : 1, attributes: attributes)
    }
    result.items = ItemTable(
      outcomes, metrics: [RatioItems("top1", areCorrect: outcomes.map { $0.isCorrect == true })])
    result.findWorstSlices()
    return result
  }

  @Test func `A slice that is worse is found, and its combinations are not listed again`() {
    let found = result { $0["site"] == "B" ? 0.4 : 0.05 }.worstSlices
    #expect(found.findings.map(\.slice.name) == ["site=B"])
    #expect(found.testedCount == 3 + 2 + 6)
    #expect(found.findings[0].slice.metrics[0].interval != nil)
    #expect(found.findings[0].value < found.findings[0].reference)
    #expect(found.sentences[0].contains("of 11 slices tested"))
  }

  @Test func `A slice of two attributes is found`() {
    let found = result { $0["site"] == "B" && $0["device"] == "camera" ? 0.6 : 0.05 }.worstSlices
    #expect(found.findings.contains { $0.slice.name == "device=camera,site=B" })
  }

  @Test func `Slices of a loss are compared by their means`() {
    var result = result { $0["site"] == "C" ? 0.5 : 0.05 }
    for index in result.items.outcomes.indices { result.items.outcomes[index].isCorrect = nil }
    result.findWorstSlices()
    #expect(result.worstSlices.findings.first?.slice.name == "site=C")
    #expect(result.worstSlices.findings.first?.measure == "loss")
  }

  @Test func `Slices without a cause are rarely found`() {
    let found = (0..<60).count { seed in
      !result(seed: UInt64(seed)) { _ in 0.2 }.worstSlices.findings.isEmpty
    }
    // Of 60 searches, 5 % are 3; twelve are a thousand times less probable.
    #expect(found < 12)
  }

  @Test func `Data without attributes, and equal items, have no slices`() {
    var plain = result { _ in 0 }
    #expect(plain.worstSlices.findings.isEmpty)
    for index in plain.items.outcomes.indices { plain.items.outcomes[index].attributes = [:] }
    plain.findWorstSlices()
    #expect(plain.worstSlices == SliceFindings())
    plain.addSlices(by: ["site"])
    #expect(plain.slices.isEmpty)
  }
}
