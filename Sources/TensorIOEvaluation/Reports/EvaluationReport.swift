import TensorIOCore
import TensorIOData

/// What came of judging models by data, and how it came about.
///
///     let report = EvaluationReport([float, quantized], command: "tensorio evaluate …", …)
///     for line in report.lines { print(line) }
///     try AtomicFile.write(ReportPage(report, cards: cards).html, to: "report.html")
public struct EvaluationReport: Sendable, Hashable {
  /// What came of each model and each data, in the order of the command.
  public var results: [EvaluationResult]
  /// The exact command line.
  public var command: String
  /// When it was, as people and scripts read it: `2026-11-22T00:15:00Z`.
  public var date: String
  /// The version of the program.
  public var toolVersion: String
  /// What it ran on.
  public var machine: String

  /// A report on results.
  public init(
    _ results: [EvaluationResult], command: String, date: String, toolVersion: String,
    machine: String = EvaluationReport.currentMachine
  ) {
    self.results = results
    (self.command, self.date, self.toolVersion, self.machine) = (command, date, toolVersion, machine)
  }

  /// What can be said of this machine at no cost: its processor, and how many threads it has for us.
  public static var currentMachine: String {
    let threads = ThreadCount.defaultCount
    return "\(CPUArchitecture.current.rawValue), \(threads) thread\(threads == 1 ? "" : "s")"
  }
}

extension EvaluationReport {
  /// So many letters of a name tell it from others.
  private static let maxNameLength = 24

  /// What each result is called beside the others: as short as tells them apart.
  var displayNames: [String] {
    let ways: [(EvaluationResult) -> String] = [
      \.model.name, \.model.path.lastPathComponent, { "\($0.model.name) \($0.model.version)" },
      { "\($0.model.name) on \($0.data.lastPathComponent)" },
      { "\($0.model.path.lastPathComponent) on \($0.data.lastPathComponent)" },
    ]
    let names = ways.lazy.map { results.map($0) }
      .first {
        Set($0.map { $0.truncated(to: Self.maxNameLength) }).count == $0.count && !$0.contains("")
      }
    return names ?? results.indices.map { "#\($0 + 1) \(results[$0].model.name)" }
  }

  /// The names of all figures, those of the first result first.
  func metricNames(_ figures: (EvaluationResult) -> [MetricValue]) -> [String] {
    var seen: Set<String> = []
    return results.flatMap(figures).map(\.name).filter { seen.insert($0).inserted }
  }
}

extension String {
  /// What stands behind the last slash of a path that does not end with it.
  var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}

extension [MetricValue] {
  /// The figure of a name.
  subscript(name: String) -> MetricValue? { first { $0.name == name } }
}

extension EvaluationReport {
  /// All figures as comma-separated values: a row for each model, data, figure and value.
  ///
  /// The columns are `model`, `data`, `figure`, `value` and `unit`. A figure with several values has
  /// a row for each, in order. Counts, times and memory stand among the figures.
  public var metricsCSV: [UInt8] {
    var table = CSVWriter()
    table.append(row: ["model", "data", "figure", "value", "unit"])
    for result in results {
      for figure in result.allMetrics {
        for value in figure.values {
          table.append(row: result.identifyingColumns + [figure.name, "\(value)", figure.unit.rawValue])
        }
      }
    }
    return table.bytes
  }

  /// The figures of all classes as comma-separated values: a row for each class and figure.
  ///
  /// The columns are `model`, `data`, `class`, `count`, `figure`, `value` and `unit`.
  public var perClassCSV: [UInt8] {
    var table = CSVWriter()
    table.append(row: ["model", "data", "class", "count", "figure", "value", "unit"])
    for result in results {
      for line in result.classes {
        for figure in line.metrics {
          for value in figure.values {
            table.append(
              row: result.identifyingColumns + [line.label, "\(line.count)", figure.name, "\(value)"]
                + [figure.unit.rawValue])
          }
        }
      }
    }
    return table.bytes
  }
}

extension EvaluationResult {
  fileprivate var identifyingColumns: [String] { [model.path, data] }

  fileprivate var allMetrics: [MetricValue] {
    [MetricValue("count", Double(count)), MetricValue("errors", Double(failedItems.count), direction: .lower)]
      + metrics + performance.metrics
  }
}
