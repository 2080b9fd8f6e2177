import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct ReportTextTests {
  @Test func `Models are columns of one table`() {
    var float = SampleReport.classifier("float", top1: 0.75, p50: 1.5)
    float.failedItems = [
      FailedItem(name: "a.png", stage: .input, code: "truncated-image", message: "cut off")
    ]
    let small = SampleReport.classifier("small", top1: 0.7, p50: 0.5)
    let lines = SampleReport.of(float, small).textLines
    let expected = """
      float.tiobundle on fruit: 10 items, 1 failed
      small.tiobundle on fruit: 10 items

                              float          small
        top1                75.00 %        70.00 %
        mae           0.5000, 1.250  0.5000, 1.250
        latency_mean       2.000 ms       2.000 ms
        latency_p50        1.500 ms       0.500 ms
        latency_p90        3.000 ms       3.000 ms
        latency_p99        4.000 ms       4.000 ms

      — float —

        class  items    recall
        fig        6  100.00 %
        plum       4   50.00 %

        actual → predicted  items
        plum → fig              2

        ms per item   mean    p50    p90    p99
        total        2.000  1.500  3.000  4.000

      failed:
        a.png: cut off

      — small —
      """
    #expect(lines.joined(separator: "\n").hasPrefix(expected))
  }

  @Test(arguments: 0..<40)
  func `A table is no wider than 80 columns`(seed: Int) {
    var random = RandomReport(seed: seed, includingNaN: true)
    for line in random.report().textLines where line.hasPrefix("  ") && !line.contains(": ") {
      #expect(line.count <= 80 && !line.contains(where: \.isNewline))
    }
  }

  @Test func `Wide characters count as two columns`() {
    let table = TextTable(
      ["", "x"], [["\u{65E5}\u{672C}\u{8A9E}", "1"], ["plum", "2"]], leadingTextColumns: 1)
    #expect(table.lines == ["          x", "  \u{65E5}\u{672C}\u{8A9E}  1", "  plum    2"])
  }

  @Test func `The columns of many models are split into several tables`() {
    let results = (0..<9).map { SampleReport.classifier("model number \($0)", top1: 0.5, p50: 1) }
    var report = SampleReport.of()
    report.results = results
    let heads = report.textLines.filter {
      $0.contains("model number 0") || $0.contains("model number 8")
    }
    #expect(heads.count >= 4 && report.textLines.allSatisfy { $0.count <= 80 })
    #expect(report.textLines.filter { $0.hasPrefix("  top1") }.count > 1)
  }

  @Test(arguments: [
    (0.9917, MetricValue.Unit.fraction, "99.17 %"), (12.3456, .milliseconds, "12.346 ms"),
    (0, .number, "0"),
    (360, .number, "360"), (1425.57, .number, "1425.6"), (-1.5, .number, "-1.500"),
    (0.012345, .number, "0.0123"), (1.5e-7, .number, "1.50e-7"), (2.5e12, .number, "2.50e12"),
    (.nan, .fraction, "–"), (.infinity, .milliseconds, "∞"), (-.infinity, .number, "-∞"),
  ])
  func `A value is formatted with its unit`(
    _ value: Double, _ unit: MetricValue.Unit, _ text: String
  ) {
    #expect(MetricValue("x", value, unit: unit).formatted == text)
  }
}
