import TensorIOBundle
import TensorIOEvaluation
import TensorIOJSON
import TensorIOTestSupport
import Testing

@Suite struct ReportJSONTests {
  @Test(arguments: 0..<60)
  func `what is written is read again`(seed: Int) throws {
    var random = RandomReport(seed: seed)
    let report = random.report()
    #expect(try EvaluationReport(json: report.json) == report)
  }

  @Test(arguments: 0..<20)
  func `numbers that are none are null, and stay that`(seed: Int) throws {
    var random = RandomReport(seed: seed, withNothing: true)
    let json = random.report().json
    #expect(try EvaluationReport(json: json).json == json)
  }

  @Test func `what was really judged is read again`() throws {
    let report = try RealReport.report.get()
    #expect(try EvaluationReport(json: report.json) == report)
  }

  @Test func `scripts find figures by their names`() throws {
    var result = SampleReport.classifier("fig", top1: 0.75, p50: 1.5)
    result.failedItems = [
      FailedItem(name: "a.png", stage: .input, code: "truncated-picture", message: "cut off")
    ]
    result.metrics.append(MetricValue("loss", .nan, direction: .lower))
    result.performance.peakMemoryBytes = 3 << 20
    let root = try JSONDocument(parsing: SampleReport.of(result).json).root
    let facts = try #require(root[0])
    #expect(facts["model"]?.string == "fig.tiobundle" && facts["data"]?.string == "fruit")
    #expect(facts["count"]?.int == 10 && facts["errors"]?.int == 1)
    #expect(facts["failed"]?[0]?["code"]?.string == "truncated-picture")
    #expect(facts["metrics"]?["top1"]?.double == 0.75)
    #expect(facts["metrics"]?["mae"]?[1]?.double == 1.25)
    #expect(facts["metrics"]?["loss"]?.kind == .null)
    #expect(facts["figures"]?["top1"]?["unit"]?.string == "share")
    #expect(facts["per_class"]?[1]?["label"]?.string == "plum")
    #expect(facts["per_class"]?[1]?["recall"]?.double == 0.5)
    #expect(facts["latency_ms"]?["total"]?["p50"]?.double == 1.5)
    #expect(facts["memory_mb"]?.int == 3)
    #expect(facts["report"]?["command"]?.string == "tensorio evaluate fig.tiobundle fruit")
  }

  @Test func `of figures with one name the first is written`() throws {
    var result = SampleReport.classifier("fig", top1: 0.75, p50: 1)
    result.metrics.append(MetricValue("top1", 0.1))
    result.classes[0].metrics.append(MetricValue("count", 0.1))
    let read = try EvaluationReport(json: SampleReport.of(result).json).results[0]
    #expect(read.metrics.map(\.values) == [[0.75], [0.5, 1.25]])
    #expect(read.classes[0].count == 6 && read.classes[0].metrics.count == 1)
  }

  @Test(arguments: [
    ("{}", ""), ("[1]", "/0"), ("[{}]", "/0"), (#"[{"model": 3}]"#, "/0/model"), ("[", "/0"),
  ])
  func `what is no report is refused with its place`(_ text: String, _ pointer: String) throws {
    let error = #expect(throws: ModelError.self) { try EvaluationReport(json: Array(text.utf8)) }
    guard case .invalidJSON(let fault) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(fault.pointer == pointer)
  }

  @Test(arguments: 0..<8)
  func `a damaged report is refused or read, and nothing worse`(seed: Int) throws {
    let json = SampleReport.of(
      SampleReport.classifier("fig", top1: 1, p50: 1), SampleReport.detector()
    )
    .json
    var random = SeededGenerator(seed: UInt64(seed))
    var refused = 0
    for _ in 0..<100 {
      var damaged = json
      let place = Int.random(in: 0..<json.count, using: &random)
      if Bool.random(using: &random) {
        damaged[place] = UInt8.random(in: 0x20..<0x7F, using: &random)
      } else {
        damaged.removeSubrange(place...)
      }
      do {
        _ = ReportPage(try EvaluationReport(json: damaged)).html
      } catch {
        refused += 1
      }
    }
    #expect(refused > 30)
  }
}
