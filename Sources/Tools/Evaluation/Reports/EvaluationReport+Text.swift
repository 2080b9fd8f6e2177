import TensorIOCore

extension EvaluationReport {
  /// The default width of a terminal.
  fileprivate static let width = 80
  /// The maximum number of failed items that are listed; the rest are counted.
  private static let maxListedFailures = 10

  /// The report as text of up to 80 columns: whether the gates pass, a table of all models, and the details
  /// of each.
  ///
  /// Labels and names are not sanitized; callers that print to a terminal must escape control
  /// characters.
  public var textLines: [String] { textLines(width: Self.width) }

  /// Returns the report as text of a width.
  ///
  /// - Parameter width: The number of columns of the terminal.
  /// - Returns: The lines, as ``textLines``.
  package func textLines(width: Int) -> [String] {
    let metrics = TextTable(truncating: [""] + columnNames, metricRows).lines(width: width)
    let headlines = headlines
    return headlines + (headlines.isEmpty ? [] : [""]) + results.map(\.headline) + [""] + metrics
      + zip(displayNames, results).flatMap { name, result in
        let details =
          (hasIntervals ? [] : result.intervalLines(width))
          + result.details(width: width, errors: Self.maxListedFailures)
        return results.count > 1 && !details.isEmpty ? ["", "— \(name) —"] + details : details
      }
  }

  /// The names of the results; the metrics of a single one are followed by their intervals.
  private var columnNames: [String] { displayNames + (hasIntervals ? ["95 %"] : []) }

  private var hasIntervals: Bool {
    results.count == 1 && results[0].metrics.contains { $0.interval != nil }
  }

  private var metricRows: [[String]] {
    metricNames(\.displayedMetrics).map { name in
      let metrics = results.map { $0.displayedMetrics[name] }
      return [name] + metrics.map { $0?.formatted ?? "" }
        + (hasIntervals ? [metrics[0]?.intervalText ?? ""] : [])
    }
  }
}

extension EvaluationReport {
  /// Whether the models pass their gates, and why not: one line for all and, if there are several, one for each;
  /// empty without gates.
  package var headlines: [String] {
    let verdicts = zip(displayNames, results).compactMap { name, result in
      result.verdict.headline.map { (name: name, text: $0, passes: result.verdict.passes) }
    }
    guard let first = verdicts.first else { return [] }
    guard verdicts.count > 1 else { return [first.text] }
    let passed = verdicts.count(where: \.passes)
    return [
      "\(Verdict.word(passed == verdicts.count)): \(passed) of \(verdicts.count) models pass"
    ] + verdicts.map { "\($0.name): \($0.text)" }
  }
}

extension EvaluationResult {
  /// The maximum number of classes for which a table is printed.
  private static let maxListedClasses = 40
  /// The number of characters of a digest that are shown.
  private static let shownDigits = 16
  /// The maximum number of misclassifications that are listed.
  private static let maxListedMisclassifications = 10

  fileprivate var displayedMetrics: [MetricValue] { metrics + performance.metrics }

  fileprivate var headline: String {
    let failed = failedItems.isEmpty ? "" : ", \(failedItems.count) failed"
    return "\(model.path) on \(data): \(count) item\(count == 1 ? "" : "s")\(failed)"
  }

  /// Returns the details of this result, each section after an empty line.
  fileprivate func details(width: Int, errors limit: Int) -> [String] {
    (decisionSections.map { $0.lines(width) } + [
      classLines(width), confusionLines(width), stageLines(width), errorLines(limit), identityLines,
    ])
    .filter { !$0.isEmpty }.flatMap { [""] + $0 }
  }

  /// The intervals of the metrics after an empty line, for a report on several models.
  fileprivate func intervalLines(_ width: Int) -> [String] {
    let rows = metrics.filter { $0.interval != nil }.map {
      [$0.name, $0.formatted, $0.intervalText ?? ""]
    }
    guard !rows.isEmpty else { return [] }
    return [""] + TextTable(truncating: ["metric", "value", "95 %"], rows).lines(width: width)
  }

  private var identityLines: [String] {
    let facts = identity.facts.map { "\($0.name) \($0.value.prefix(Self.shownDigits))" }
    return facts.isEmpty ? [] : [facts.joined(separator: ", ")]
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

extension EvaluationResult {
  /// Returns the comparison with a baseline as text, each section after an empty line.
  ///
  /// - Parameter width: The number of columns of the terminal; `nil` for that of a report.
  /// - Returns: The lines.
  package func comparisonLines(width: Int?) -> [String] {
    comparisonSections.filter { !$0.isEmpty }.flatMap {
      [""] + $0.lines(width ?? EvaluationReport.width)
    }
  }
}

extension ReportSection {
  /// Returns the title, the sentences and the table.
  fileprivate func lines(_ width: Int) -> [String] {
    let heading = rows.isEmpty && title == "Not measured" ? [] : ["\(title.lowercasedFirst):"]
    let indent = heading.isEmpty ? "" : "  "
    return heading + notes.map { indent + $0.singleLine }
      + (rows.isEmpty ? [] : TextTable(truncating: columns, rows).lines(width: width))
  }
}

extension String {
  fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
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
  package var formatted: String {
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
