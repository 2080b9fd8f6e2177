import TensorIOEvaluation
import TensorIOTestSupport
import Testing

@testable import TensorIOData

@Suite(.ownThreads) struct ReportTableTests {
  private func rows(_ bytes: [UInt8]) -> [[String]] {
    var reader = CSVReader(bytes, separator: UInt8(ascii: ","))
    var rows: [[String]] = []
    while let row = reader.next() {
      #expect(row.cells.allSatisfy { $0.diagnostic == nil })
      rows.append(row.cells.map(\.text))
    }
    return rows
  }

  @Test func `Each metric value is a row`() {
    let report = SampleReport.of(SampleReport.classifier("fig", top1: 0.75, p50: 1.5))
    #expect(
      String(decoding: report.metricsCSV, as: UTF8.self) == """
        model,data,metric,value,unit
        fig.tiobundle,fruit,count,10.0,
        fig.tiobundle,fruit,errors,0.0,
        fig.tiobundle,fruit,top1,0.75,fraction
        fig.tiobundle,fruit,mae,0.5,
        fig.tiobundle,fruit,mae,1.25,
        fig.tiobundle,fruit,latency_mean,2.0,ms
        fig.tiobundle,fruit,latency_p50,1.5,ms
        fig.tiobundle,fruit,latency_p90,3.0,ms
        fig.tiobundle,fruit,latency_p99,4.0,ms

        """)
    #expect(
      String(decoding: report.perClassCSV, as: UTF8.self) == """
        model,data,class,count,metric,value,unit
        fig.tiobundle,fruit,fig,6,recall,1.0,fraction
        fig.tiobundle,fruit,plum,4,recall,0.5,fraction

        """)
  }

  @Test(arguments: 0..<40)
  func `All metrics are read back`(seed: Int) {
    var random = RandomReport(seed: seed)
    let report = random.report()
    var found = rows(report.metricsCSV).dropFirst()[...]
    for result in report.results {
      for metric in [
        MetricValue("count", Double(result.count)),
        MetricValue("errors", Double(result.failedItems.count)),
      ]
        + result.metrics
      {
        for value in metric.values {
          let row = found.popFirst() ?? []
          guard row.count == 5 else { return #expect(row.count == 5) }
          let (model, data) = (result.model.path.spreadsheetText, result.data.spreadsheetText)
          #expect(row[0] == model && row[1] == data)
          #expect(
            row[2] == metric.name && Double(row[3]) == value && row[4] == metric.unit.rawValue)
        }
      }
      found = found.drop {
        ["latency_", "first_run", "throughput", "peak_memory_mb"].contains(where: $0[2].hasPrefix)
      }
      for metric in result.undefinedMetrics {
        let row = found.popFirst() ?? []
        #expect(
          row.dropFirst(2) == [
            metric.name.spreadsheetText, "", "undefined: \(metric.reason)".spreadsheetText,
          ])
      }
    }
    #expect(found.isEmpty)
  }

  @Test(arguments: 0..<40)
  func `All class metrics are read back`(seed: Int) {
    var random = RandomReport(seed: seed)
    let report = random.report()
    let expected = report.results.flatMap { result in
      result.classes.flatMap { classResult in
        classResult.metrics.flatMap { metric in
          metric.values.map {
            [
              result.model.path.spreadsheetText, result.data.spreadsheetText,
              classResult.label.spreadsheetText, "\(classResult.count)",
              metric.name, "\($0)",
            ]
              + [metric.unit.rawValue]
          }
        }
      }
    }
    #expect(Array(rows(report.perClassCSV).dropFirst()) == expected)
  }
}
