import TensorIOCore

extension EvaluationReport {
  /// The default width of a terminal.
  private static let width = 80
  /// The maximum number of failed items that are listed; the rest are counted.
  private static let maxListedFailures = 10

  /// The report as text of up to 80 columns: a table of all models, followed by the details of
  /// each.
  ///
  /// Labels and names are not sanitized; callers that print to a terminal must escape control
  /// characters.
  public var textLines: [String] {
    let metrics = TextTable(truncating: [""] + displayNames, metricRows).lines(width: Self.width)
    return results.map(\.headline) + [""] + metrics
      + zip(displayNames, results).flatMap { name, result in
        let details = result.details(width: Self.width, errors: Self.maxListedFailures)
        return results.count > 1 && !details.isEmpty ? ["", "— \(name) —"] + details : details
      }
  }

  private var metricRows: [[String]] {
    metricNames(\.displayedMetrics).map { name in
      [name] + results.map { $0.displayedMetrics[name]?.formatted ?? "" }
    }
  }
}

extension EvaluationResult {
  /// The maximum number of classes for which a table is printed.
  private static let maxListedClasses = 40
  /// The maximum number of misclassifications that are listed.
  private static let maxListedMisclassifications = 10

  fileprivate var displayedMetrics: [MetricValue] { metrics + performance.metrics }

  fileprivate var headline: String {
    let failed = failedItems.isEmpty ? "" : ", \(failedItems.count) failed"
    return "\(model.path) on \(data): \(count) item\(count == 1 ? "" : "s")\(failed)"
  }

  /// Returns the details of this result, each section after an empty line.
  fileprivate func details(width: Int, errors limit: Int) -> [String] {
    [
      undefinedMetrics.sentences, classLines(width), confusionLines(width), stageLines(width),
      errorLines(limit),
    ]
    .filter { !$0.isEmpty }.flatMap { [""] + $0 }
  }

  private func classLines(_ width: Int) -> [String] {
    guard (1...Self.maxListedClasses).contains(classes.count) else { return [] }
    let names = classMetricNames
    let rows = classes.map { result in
      [result.label, "\(result.count)"] + names.map { result.metrics[$0]?.formatted ?? "" }
    }
    return TextTable(truncating: ["class", "items"] + names, rows).lines(width: width)
  }

  private func confusionLines(_ width: Int) -> [String] {
    let rows = (confusion?.mostFrequentMisclassifications(Self.maxListedMisclassifications) ?? [])
      .map { ["\($0.actual) → \($0.predicted)", "\($0.count)"] }
    guard !rows.isEmpty else { return [] }
    return TextTable(truncating: ["actual → predicted", "items"], rows).lines(width: width)
  }

  private func stageLines(_ width: Int) -> [String] {
    let rows = performance.stageLatencies.map { stage in
      [stage.name]
        + [stage.mean, stage.p50, stage.p90, stage.p99].map { $0.formatted(decimals: 3) }
    }
    guard !rows.isEmpty else { return [] }
    let titles = ["ms per item", "mean", "p50", "p90", "p99"]
    return TextTable(truncating: titles, rows).lines(width: width)
  }

  private func errorLines(_ limit: Int) -> [String] {
    let shown = failedItems.prefix(limit).map {
      "  \($0.name.singleLine): \($0.message.singleLine)"
    }
    let rest = failedItems.count - shown.count
    return (shown.isEmpty ? [] : ["failed:"]) + shown + (rest > 0 ? ["  … and \(rest) more"] : [])
  }
}

extension TextTable {
  /// The maximum width of the first column.
  private static let maxNameWidth = 32
  /// The maximum width of other columns.
  private static let maxCellWidth = 24

  /// Creates a table whose cells are truncated to a maximum width.
  fileprivate init(truncating titles: [String], _ rows: [[String]]) {
    let rows = ([titles] + rows).map { row in
      row.enumerated().map {
        $1.truncated(to: $0 == 0 ? Self.maxNameWidth : Self.maxCellWidth).singleLine
      }
    }
    self.init(rows[0], Array(rows.dropFirst()), leadingTextColumns: 1)
  }
}

extension MetricValue {
  /// The maximum number of values that are shown; the rest are counted.
  private static let maxShownValues = 3

  /// The values formatted for display, with their unit.
  var formatted: String {
    guard let first = values.first else { return Double.notANumberText }
    guard values.count > 1 else { return unit.format(first) }
    let shown = values.prefix(Self.maxShownValues).map(unit.format).joined(separator: ", ")
    return values.count > Self.maxShownValues ? "\(shown), … (\(values.count))" : shown
  }
}

extension MetricValue.Unit {
  /// Formats a value for display.
  func format(_ value: Double) -> String {
    switch self {
    case .fraction where value.isFinite: (value * 100).formatted(decimals: 2) + " %"
    case .milliseconds where value.isFinite: value.formatted(decimals: 3) + " ms"
    default: value.compactText
    }
  }
}

extension Double {
  /// The placeholder for NaN.
  static let notANumberText = "–"

  /// The number with about four significant digits.
  var compactText: String {
    guard isFinite else { return isNaN ? Self.notANumberText : self > 0 ? "∞" : "-∞" }
    switch magnitude {
    case 0: return "0"
    case _ where self == rounded() && magnitude < 1e9: return formatted(decimals: 0)
    case 1000..<1e9: return formatted(decimals: 1)
    case 1..<1000: return formatted(decimals: 3)
    case 1e-3..<1: return formatted(decimals: 4)
    default: return scientificText
    }
  }

  private var scientificText: String {
    var (mantissa, power) = (self, 0)
    while mantissa.magnitude >= 10 { (mantissa, power) = (mantissa / 10, power + 1) }
    while mantissa.magnitude < 1 { (mantissa, power) = (mantissa * 10, power - 1) }
    return "\(mantissa.formatted(decimals: 2))e\(power)"
  }
}
