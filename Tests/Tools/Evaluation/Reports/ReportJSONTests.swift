import TensorIOBundle
import TensorIOEvaluation
import TensorIOJSON
import TensorIOTestSupport
import Testing

@Suite(.ownThreads) struct ReportJSONTests {
  @Test(arguments: 0..<60)
  func `A written report is read back unchanged`(seed: Int) throws {
    var random = RandomReport(seed: seed)
    let report = random.report()
    #expect(try EvaluationReport(json: report.json) == report)
  }

  @Test(arguments: 0..<20)
  func `NaN is written as null and read back as NaN`(seed: Int) throws {
    var random = RandomReport(seed: seed, includingNaN: true)
    let json = random.report().json
    #expect(try EvaluationReport(json: json).json == json)
  }

  @Test func `The report of a real evaluation is read back unchanged`() throws {
    let report = try RealReport.report.get()
    #expect(try EvaluationReport(json: report.json) == report)
  }

  @Test func `The JSON has the documented keys`() throws {
    var result = SampleReport.classifier("fig", top1: 0.75, p50: 1.5)
    result.failedItems = [
      FailedItem(name: "a.png", stage: .input, code: "truncated-image", message: "cut off")
    ]
    result.metrics.append(MetricValue("log_loss", .nan, direction: .lower))
    result.performance.peakMemoryBytes = 3 << 20
    let root = try JSONDocument(parsing: SampleReport.of(result).json).root
    let object = try #require(root[0])
    #expect(object["model"]?.string == "fig.tiobundle" && object["data"]?.string == "fruit")
    #expect(object["count"]?.int == 10 && object["errors"]?.int == 1)
    #expect(object["failed"]?[0]?["code"]?.string == "truncated-image")
    #expect(object["metrics"]?["top1"]?.double == 0.75)
    #expect(object["metrics"]?["mae"]?[1]?.double == 1.25)
    #expect(object["metrics"]?["log_loss"]?.kind == .null)
    #expect(object["metric_info"]?["top1"]?["unit"]?.string == "fraction")
    #expect(object["per_class"]?[1]?["label"]?.string == "plum")
    #expect(object["per_class"]?[1]?["recall"]?.double == 0.5)
    #expect(object["latency_ms"]?["total"]?["p50"]?.double == 1.5)
    #expect(object["peak_memory_mb"]?.int == 3)
    #expect(object["report"]?["command"]?.string == "tensorio evaluate fig.tiobundle fruit")
  }

  @Test func `If several metrics have the same name, the first is written`() throws {
    var result = SampleReport.classifier("fig", top1: 0.75, p50: 1)
    result.metrics.append(MetricValue("top1", 0.1))
    result.classes[0].metrics.append(MetricValue("count", 0.1))
    let read = try EvaluationReport(json: SampleReport.of(result).json).results[0]
    #expect(read.metrics.map(\.values) == [[0.75], [0.5, 1.25]])
    #expect(read.classes[0].count == 6 && read.classes[0].metrics.count == 1)
  }

  @Test(arguments: [
    ("{}", ""), ("[1]", "/0"), ("[{}]", "/0/model"), (#"[{"model": 3}]"#, "/0/model"), ("[", "/0"),
  ])
  func `Other JSON is rejected with a pointer`(_ text: String, _ pointer: String) throws {
    let error = #expect(throws: ModelError.self) { try EvaluationReport(json: Array(text.utf8)) }
    #expect(try #require(error).diagnostics.contains { $0.path == pointer })
  }

  @Test func `All errors of a report are reported together`() throws {
    let text = #"[{"model": 3, "count": "ten", "samples": []}]"#
    let error = #expect(throws: ModelError.self) { try EvaluationReport(json: Array(text.utf8)) }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidData) else {
      Issue.record("\(String(describing: error))")
      return
    }
    let paths = Set(diagnostics.map(\.path))
    #expect(paths.isSuperset(of: ["/0/model", "/0/count", "/0/samples", "/0/latency_ms"]))
    #expect(diagnostics.allSatisfy { $0.line == 1 })
  }

  @Test(arguments: 0..<8)
  func `A corrupt report is rejected or read without trapping`(seed: Int) throws {
    let json = SampleReport.of(
      SampleReport.classifier("fig", top1: 1, p50: 1), SampleReport.detector()
    )
    .json
    var random = SeededGenerator(seed: UInt64(seed))
    var rejected = 0
    for _ in 0..<100 {
      var corrupt = json
      let index = Int.random(in: 0..<json.count, using: &random)
      if Bool.random(using: &random) {
        corrupt[index] = UInt8.random(in: 0x20..<0x7F, using: &random)
      } else {
        corrupt.removeSubrange(index...)
      }
      do {
        _ = ReportPage(try EvaluationReport(json: corrupt)).html
      } catch {
        rejected += 1
      }
    }
    #expect(rejected > 30)
  }
}
