import Foundation
import TensorIOBundle
import TensorIOJSON
import TensorIOTestSupport
import Testing

@testable import TensorIOData
@testable import TensorIOEvaluation

@Suite struct VerdictTests {
  private func result(
    _ name: String = "new", correct: Int = 90, of count: Int = 100
  ) -> EvaluationResult {
    var result = EvaluationResult(
      model: EvaluatedModel(path: "\(name).tiobundle", name: name, id: name, version: "1"),
      data: "scans")
    result.count = count
    result.items = ItemTable(
      (0..<count).map { index in
        ItemOutcome(
          name: "\(index).png", truth: index % 2 == 0 ? "cat" : "dog", prediction: "cat",
          isCorrect: index < correct, confidence: 0.5, loss: index < correct ? 0.1 : 2,
          attributes: ["site": index % 4 == 3 ? "B" : "A"])
      },
      metrics: [RatioItems("top1", areCorrect: (0..<count).map { $0 < correct })])
    result.items.resample()
    result.metrics = result.items.values
    return result
  }

  private func report(_ results: EvaluationResult...) -> EvaluationReport {
    EvaluationReport(
      results, command: "tensorio evaluate new.tiobundle scans", date: "2026-11-22T00:00:00Z",
      toolVersion: "0.1.0", machine: "x86_64")
  }

  @Test(arguments: [
    ("top1[site=A]>=0.9", "top1[site=A]", ">=", 0.9, Gate.Reference.zero),
    ("recall[7] < 5%", "recall[7]", "<", 0.05, .zero),
    ("top1>=baseline-0.5%", "top1", ">=", -0.005, .partOfBaseline),
    ("loss <= baseline + 0.1", "loss", "<=", 0.1, .baseline),
    ("mae==baseline", "mae", "==", 0, .baseline),
    ("top1[site=A,device=x<y]>0", "top1[site=A,device=x<y]", ">", 0, .zero),
  ])
  func `A gate names a class, a slice or a baseline`(
    _ text: String, _ name: String, _ comparison: String, _ threshold: Double,
    _ reference: Gate.Reference
  ) throws {
    let gate = try Gate(text)
    #expect(gate.name == name && gate.comparison.rawValue == comparison)
    #expect(gate.threshold == threshold && gate.reference == reference)
    #expect(try Gate("\(gate)") == gate)
  }

  @Test(arguments: [
    "top1", ">=1", "[a]>=1", "top1[site=A>=0.9", "top1>=baseline*2", "top1>=baseline-", "top1>=nan",
    "top1>=baseline--1", "top1[site=A]", "top1=>1",
  ])
  func `A text that is no gate is rejected`(_ text: String) {
    let error = #expect(throws: ModelError.self) { try Gate(text) }
    #expect(error?.code == "invalid-gate")
  }

  @Test func `Every form of a report begins with the verdict`() throws {
    var result = result()
    try result.evaluate([Gate("top1>=0.5"), Gate("top1[site=B]>=99%")])
    let report = report(result)
    let headline =
      "FAILED: top1[site=B] is 88.00 %, less than 99.00 %; 1 of 2 gates pass"
    #expect(report.textLines[0] == headline)
    #expect(report.textLines.contains { $0.contains("top1 >= 0.5") && $0.hasSuffix("passed") })
    #expect(
      report.textLines.contains { $0.contains("top1[site=B] >= 0.99") && $0.hasSuffix("FAILED") })
    #expect(
      String(decoding: report.markdown, as: UTF8.self)
        .hasPrefix(#"# FAILED: top1\[site=B\] is 88.00 %, less than 99.00 %; 1 of 2 gates pass"#))
    let page = String(decoding: ReportPage(report).html, as: UTF8.self)
    let banner = try #require(page.range(of: headline))
    #expect(banner.lowerBound < (try #require(page.range(of: "<h1>"))).lowerBound)
    let json = try JSONDocument(parsing: report.json).root[0]?["verdict"]
    #expect(json?["passed"]?.bool == false && json?["headline"]?.string == headline)
    #expect(json?["gates"]?[0]?["passed"]?.bool == true)
    #expect(json?["gates"]?[1]?["values"]?[0]?.double == 0.88)
    let csv = String(decoding: report.metricsCSV, as: UTF8.self)
    #expect(csv.contains("new.tiobundle,scans,gate:top1 >= 0.5,1,"))
    #expect(csv.contains("new.tiobundle,scans,gate:top1[site=B] >= 0.99,0,"))
    #expect(try EvaluationReport(json: report.json) == report)
  }

  @Test func `A JUnit report has a test for each gate and for the items`() throws {
    var result = result()
    result.failedItems = [
      FailedItem(name: "a\u{1}.png", stage: .input, code: "truncated-image", message: "cut <off>")
    ]
    try result.evaluate([Gate("top1>=0.5"), Gate("top1>=0.99")])
    let root = try XMLReader.read(
      Array(report(result).junit.drop { $0 != UInt8(ascii: "\n") }.dropFirst()))
    let suite = try #require(root["testsuite"])
    #expect(suite.all("testcase").count == 3)
    #expect(suite.all("testcase").filter { $0["failure"] != nil }.count == 2)
  }

  @Test func `A value that rounds to its limit is shown with all digits`() throws {
    var result = result(correct: 9699, of: 10_000)
    result.metrics = [MetricValue("top1", 0.96999, unit: .fraction, direction: .higher)]
    try result.evaluate([Gate("top1>=0.97")])
    #expect(result.verdict.headline == "FAILED: top1 is 0.96999, less than 0.97; 0 of 1 gates pass")
  }

  @Test func `A metric without a value fails its gate with the reason`() throws {
    var result = result()
    result.undefinedMetrics = [UndefinedMetric(name: "ece", reason: "there are no probabilities")]
    try result.evaluate([
      Gate("ece<=0.1"), Gate("recall[emu]>=0.5"), Gate("top1[site=Z]>=0.5"), Gate("regressions<=1"),
    ])
    #expect(result.verdict.outcomes.allSatisfy { !$0.passes && $0.reason != nil })
    #expect(result.verdict.outcomes[0].sentence.hasSuffix("there are no probabilities"))
    #expect(throws: ModelError.self) { try result.evaluate([Gate("topp1>=0.5")]) }
  }

  @Test func `Regressions are counted, and a tie is called a tie`() throws {
    let old = result("old", correct: 88)
    var new = result("new", correct: 90)
    new.comparison = try BaselineComparison(new, baseline: old, name: "old.json")
    let comparison = try #require(new.comparison)
    #expect(comparison.regressions?.isEmpty == true)
    #expect(comparison.fixes.map(\.name) == ["88.png", "89.png"])
    let change = try #require(comparison.changes.first { $0.name == "top1" })
    #expect(change.verdict == .tie && change.probability == 0.5)
    try new.evaluate(
      [Gate("regressions<=0"), Gate("top1>=baseline+2%"), Gate("top1>=baseline+2.1%")],
      baseline: old)
    #expect(new.verdict.outcomes.map(\.passes) == [true, true, false])
    let page = String(decoding: ReportPage(report(new)).html, as: UTF8.self)
    #expect(page.contains("tie") && !page.contains("number better\">90"))
  }

  @Test func `A difference that chance does not make is better or worse`() throws {
    let (old, new) = (result("old", correct: 70), result("new", correct: 90))
    for (first, second, verdict) in [(old, new, "better"), (new, old, "worse")] {
      let comparison = try BaselineComparison(second, baseline: first, name: "")
      #expect(comparison.changes.first { $0.name == "top1" }?.verdict.rawValue == verdict)
    }
  }

  @Test func `A report without scores is enough to compare with later`() throws {
    let old = try EvaluationReport(json: report(result("old", correct: 70)).json).results[0]
    let comparison = try BaselineComparison(result(), baseline: old, name: "old.json")
    #expect(comparison.fixes.count == 20 && comparison.regressions?.isEmpty == true)
    #expect(comparison.changes[0].verdict == .better && comparison.changes[0].interval != nil)
  }

  @Test func `A baseline of other data is rejected, and one of other items passes no gate`() throws
  {
    var other = result("other", correct: 70)
    for index in other.items.outcomes.indices { other.items.outcomes[index].name += "x" }
    #expect(throws: ModelError.self) {
      try BaselineComparison(result(), baseline: other, name: "other.json")
    }
    var new = result()
    let partial = result("old", correct: 90, of: 99)
    new.comparison = try BaselineComparison(new, baseline: partial, name: "old.json")
    #expect(new.comparison?.hasSameItems == false && new.comparison?.count == 99)
    try new.evaluate([Gate("top1>=baseline-50%"), Gate("regressions<=9")], baseline: partial)
    #expect(new.verdict.outcomes.map(\.passes) == [false, true])
    #expect(new.verdict.headline?.contains("the baseline has other items") == true)
  }

  @Test func `An item that can no longer be evaluated is a regression`() throws {
    let old = result("old", correct: 90)
    var new = result("new", correct: 90)
    new.items.outcomes.removeFirst()
    new.failedItems = [
      FailedItem(name: "0.png", stage: .input, code: "truncated-image", message: "cut off")
    ]
    let comparison = try BaselineComparison(new, baseline: old, name: "")
    #expect(comparison.hasSameItems)
    #expect(comparison.regressions?.map(\.prediction) == ["failed: cut off"])
  }

  @Test(arguments: 0..<40)
  func `Hostile texts do not break Markdown tables or JUnit XML`(seed: Int) throws {
    var random = RandomReport(seed: seed, includingNaN: true)
    var report = random.report()
    for index in report.results.indices {
      try? report.results[index].evaluate([Gate("metric 0>=0.5"), Gate("regressions<=1")])
    }
    let junit = report.junit
    let root = try XMLReader.read(Array(junit.drop { $0 != UInt8(ascii: "\n") }.dropFirst()))
    #expect(root.all("testsuite").count == report.results.count)
    let lines = String(decoding: report.markdown, as: UTF8.self).split(separator: "\n")
    let columns = 1 + 2 * report.results.count
    let table = lines.drop { !$0.hasPrefix("| metric |") }.prefix { $0.hasPrefix("|") }
    for line in table {
      let bars = line.replacing("\\\\", with: "").replacing("\\|", with: "").count { $0 == "|" }
      #expect(bars == columns + 1, "\(line)")
    }
  }
}
