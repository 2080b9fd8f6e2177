import TensorIOCore
import TensorIOData
import TensorIOSystem

/// The results of evaluating models on datasets, with the command, date, version and machine.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let bundle = try ModelBundle(at: "digits.tiobundle")
/// let plan = try EvaluationPlan(bundle, dataAt: "held-out")
/// let evaluation = try Evaluation(plan) { _ throws(ModelError) in try Model(bundle) }
/// let report = EvaluationReport(
///   [try evaluation.run()], command: "my-evaluation", date: "2026-11-22T00:15:00Z",
///   toolVersion: "1.0")
/// for line in report.textLines { print(line) }
/// ```
public struct EvaluationReport: Sendable, Hashable {
  /// The result of each model on each dataset, in the order of the command.
  public var results: [EvaluationResult]
  /// The command line.
  public var command: String
  /// The date in ISO 8601 format, such as `2026-11-22T00:15:00Z`.
  public var date: String
  /// The version of the program.
  public var toolVersion: String
  /// A description of the machine.
  public var machine: String
  /// What the results have in common, such as the search that they are of, for the page and Markdown; `nil` for nothing.
  package var overview: ReportSection?

  /// Creates a report.
  public init(
    _ results: [EvaluationResult], command: String, date: String, toolVersion: String,
    machine: String = EvaluationReport.currentMachine
  ) {
    self.results = results
    (self.command, self.date, self.toolVersion, self.machine) = (
      command, date, toolVersion, machine
    )
  }

  /// The processor architecture, the number of threads and the processor of this machine.
  public static var currentMachine: String {
    let threads = ThreadCount.defaultCount
    let processor = Platform.processorName.map { ", \($0)" } ?? ""
    return "\(CPUArchitecture.current.rawValue), \(threads) thread\(threads == 1 ? "" : "s")"
      + processor
  }
}

extension EvaluationReport {
  /// The report without its items, which are many lines in a terminal.
  package var withoutItems: EvaluationReport {
    var report = self
    for index in report.results.indices { report.results[index].items = ItemTable() }
    return report
  }

  /// The number of characters in which names must differ.
  private static let maxNameLength = 24

  /// The shortest unambiguous names of the results.
  var displayNames: [String] {
    let candidates: [(EvaluationResult) -> String] = [
      \.model.name, \.model.path.lastPathComponent, { "\($0.model.name) \($0.model.version)" },
      { "\($0.model.name) on \($0.data.lastPathComponent)" },
      { "\($0.model.path.lastPathComponent) on \($0.data.lastPathComponent)" },
    ]
    let names = candidates.lazy.map { results.map($0) }
      .first {
        Set($0.map { $0.truncated(to: Self.maxNameLength) }).count == $0.count && !$0.contains("")
      }
    return names ?? results.indices.map { "#\($0 + 1) \(results[$0].model.name)" }
  }

  /// Returns the names of all metrics, in the order of their first occurrence.
  func metricNames(_ metrics: (EvaluationResult) -> [MetricValue]) -> [String] {
    var seen: Set<String> = []
    return results.flatMap(metrics).map(\.name).filter { seen.insert($0).inserted }
  }
}

extension String {
  /// The last component of the path.
  var lastPathComponent: String { FilePath.lastComponent(of: self) }
}

extension [MetricValue] {
  /// Returns the first metric with a name.
  subscript(name: String) -> MetricValue? { first { $0.name == name } }
}

extension EvaluationReport {
  /// All metrics as CSV with the columns `model`, `data`, `metric`, `value` and `unit`.
  ///
  /// A metric with several values has one row for each. Counts, latencies and memory are included. They are
  /// followed by the metrics without a value, whose unit is the reason, the ends of intervals, slices, the
  /// comparison with a baseline, gates, which are 1 if they pass and otherwise 0, and the digests of model and data.
  /// Text that a spreadsheet would run as a formula is prefixed with an apostrophe.
  public var metricsCSV: [UInt8] {
    var table = CSVWriter(.display)
    table.append(row: ["model", "data", "metric", "value", "unit"])
    for result in results {
      for metric in result.allMetrics {
        for value in metric.values {
          table.append(
            row: result.identifyingColumns + [metric.name, "\(value)", metric.unit.rawValue])
        }
      }
      for row in result.decisionRows { table.append(row: result.identifyingColumns + row) }
    }
    return table.bytes
  }

  /// The metrics of all classes as CSV with the columns `model`, `data`, `class`, `count`,
  /// `metric`, `value` and `unit`.
  public var perClassCSV: [UInt8] {
    var table = CSVWriter(.display)
    table.append(row: ["model", "data", "class", "count", "metric", "value", "unit"])
    for result in results {
      for classResult in result.classes {
        for metric in classResult.metrics {
          for value in metric.values {
            table.append(
              row: result.identifyingColumns + [classResult.label, "\(classResult.count)"]
                + [metric.name, "\(value)", metric.unit.rawValue])
          }
        }
      }
    }
    return table.bytes
  }
}

extension EvaluationResult {
  fileprivate var identifyingColumns: [String] { [model.path, data] }

  /// The rows of what is not a metric of all items: name, value and unit.
  fileprivate var decisionRows: [[String]] {
    let all =
      metrics
      + slices.flatMap { slice in
        slice.metrics.map { $0.renamed("\($0.name)[\(slice.name)]") }
      }
    let sliceRows = all.dropFirst(metrics.count).flatMap { metric in
      metric.values.map { [metric.name, "\($0)", metric.unit.rawValue] }
    }
    let ends = all.flatMap { metric in
      guard let interval = metric.interval else { return [[String]]() }
      return [("low", interval.low), ("high", interval.high)].map { end, value in
        ["\(metric.name):\(end)", "\(value)", metric.unit.rawValue]
      }
    }
    let changes = (comparison?.changes ?? []).flatMap { change in
      [["\(change.name):baseline", "\(change.baseline)", change.verdict.rawValue]]
        + (change.probability.map { [["\(change.name):p", "\($0)", ""]] } ?? [])
    }
    let flips = (comparison?.metrics ?? []).flatMap { metric in
      metric.values.map { [metric.name, "\($0)", ""] }
    }
    let found = worstSlices.findings.map {
      ["worst_slice:\($0.slice.name)", "\($0.value)", $0.measure]
    }
    return undefinedMetrics.map { [$0.name, "", "undefined: \($0.reason)"] } + sliceRows + ends
      + changes + flips + found
      + verdict.outcomes.map { ["gate:\($0.gate)", $0.passes ? "1" : "0", ""] }
      + identity.facts.map { ["identity:\($0.name)", "", $0.value] }
  }

  fileprivate var allMetrics: [MetricValue] {
    [
      MetricValue("count", Double(count)),
      MetricValue("errors", Double(failedItems.count), direction: .lower),
    ] + metrics + performance.metrics
  }
}
