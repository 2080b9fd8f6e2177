import TensorIOCore

/// A part of the details of a result that every form of a report shows: sentences and a table.
package struct ReportSection: Sendable, Hashable {
  /// The heading.
  package let title: String
  /// Sentences before the table.
  package var notes: [String] = []
  /// The titles of the columns; the first one is text.
  package var columns: [String] = []
  /// The cells of the rows.
  package var rows: [[String]] = []

  /// Creates a section.
  package init(
    title: String, notes: [String] = [], columns: [String] = [], rows: [[String]] = []
  ) {
    (self.title, self.notes, self.columns, self.rows) = (title, notes, columns, rows)
  }

  var isEmpty: Bool { notes.isEmpty && rows.isEmpty }
}

extension EvaluationResult {
  /// The maximum number of items that are listed as regressions.
  private static let maxListedFlips = 10
  /// The maximum number of classes that are listed with their regressions.
  private static let maxListedClasses = 10
  /// The maximum number of kinds of errors that are listed with their costs.
  private static let maxErrorCosts = 10
  /// The maximum number of classes that are listed with their thresholds.
  private static let maxOperatingPoints = 21
  /// The maximum number of names of the same image.
  private static let maxListedNames = 4
  /// The maximum number of metrics of a slice in tables.
  private static let maxSliceMetrics = 4

  /// What a decision rests on: gates, slices, the comparison with a baseline, and what is unknown.
  var decisionSections: [ReportSection] {
    [
      gateSection, worstSliceSection, sliceSection, costSection, operatingSection,
      duplicateSection, normalizationSection, unknownSection,
    ]
    .filter { !$0.isEmpty }
      + comparisonSections.filter { !$0.isEmpty }
  }

  private var gateSection: ReportSection {
    ReportSection(
      title: "Gates", columns: ["gate", "value", "limit", "result"],
      rows: verdict.outcomes.map { outcome in
        [
          "\(outcome.gate.name) \(outcome.condition)", outcome.valueText,
          outcome.limit.isNaN || outcome.metric.values.isEmpty ? "" : outcome.limitText,
          outcome.passes ? "passed" : "FAILED",
        ]
      })
  }

  private var worstSliceSection: ReportSection {
    ReportSection(title: "Worst slices", notes: worstSlices.sentences)
  }

  private var sliceSection: ReportSection {
    let shown =
      slices
      + worstSlices.findings.map(\.slice).filter { found in
        !slices.contains { $0.name == found.name }
      }
    var names: [String] = []
    for name in shown.flatMap(\.metrics).map(\.name) where !names.contains(name) {
      names.append(name)
    }
    names = Array(names.prefix(Self.maxSliceMetrics))
    return ReportSection(
      title: "Slices", columns: ["slice", "items"] + names.flatMap { [$0, "95 %"] },
      rows: shown.map { slice in
        [slice.name, "\(slice.count)"]
          + names.flatMap { name in
            [slice.metrics[name]?.formatted ?? "", slice.metrics[name]?.intervalText ?? ""]
          }
      })
  }

  private var operatingSection: ReportSection {
    let fraction = MetricValue.Unit.fraction
    return ReportSection(
      title: "Operating points",
      columns: ["class", "threshold", "precision", "recall", "F1", "chosen by"]
        + (operatingPoints.contains { $0.cost != nil } ? ["cost"] : []),
      rows: operatingPoints.prefix(Self.maxOperatingPoints).map { point in
        [
          point.label.isEmpty ? "all" : point.label, point.threshold.compactText,
          fraction.format(point.precision), fraction.format(point.recall),
          fraction.format(point.f1), point.method.displayName,
        ]
          + (operatingPoints.contains { $0.cost != nil }
            ? [point.cost.map(\.compactText) ?? ""] : [])
      })
  }

  private var costSection: ReportSection {
    ReportSection(
      title: errorCosts.count > Self.maxErrorCosts
        ? "Costs of errors: \(Self.maxErrorCosts) of \(errorCosts.count)" : "Costs of errors",
      columns: ["actual → predicted", "items", "cost", "total"],
      rows: errorCosts.prefix(Self.maxErrorCosts).map { error in
        [
          "\(error.truth) → \(error.prediction)", "\(error.count)", error.cost.compactText,
          error.total.compactText,
        ]
      })
  }

  private var duplicateSection: ReportSection {
    let truths = Dictionary(items.outcomes.map { ($0.name, $0.truth) }) { first, _ in first }
    let shown = duplicates.prefix(Self.maxListedFlips).map { names in
      let labels = Set(names.compactMap { truths[$0] })
      let conflict = labels.count > 1 ? ", with different ground truth" : ""
      let listed = names.prefix(Self.maxListedNames).joined(separator: ", ")
      let rest = names.count > Self.maxListedNames ? ", …" : ""
      return "\(listed)\(rest): the same image \(names.count) times\(conflict)"
    }
    let rest = duplicates.count - shown.count
    return ReportSection(
      title: "Duplicates", notes: shown + (rest > 0 ? ["… and \(rest) more images"] : []))
  }

  private var normalizationSection: ReportSection {
    let counts = normalizers.sorted { $0.key < $1.key }.map { name, count in
      "\(name) (\(count) recording\(count == 1 ? "" : "s"))"
    }
    return ReportSection(
      title: "Normalized texts",
      notes: counts.isEmpty ? [] : ["by the normalizer \(counts.joined(separator: ", "))"])
  }

  private var unknownSection: ReportSection {
    ReportSection(
      title: "Not measured",
      notes: undefinedMetrics.sentences
        + metricsWithoutInterval.sentences("has no interval"))
  }

  var comparisonSections: [ReportSection] {
    guard let comparison else { return [] }
    var sections = [
      ReportSection(
        title: "Compared with \(comparison.name)",
        notes: comparison.sentences + untestedSentences(comparison),
        columns: ["metric", "before", "now", "result", "difference", "95 %", "p"],
        rows: comparison.changes.map { change in
          let unit = (metrics + performance.metrics)[change.name]?.unit ?? .number
          return [
            change.name, unit.format(change.baseline), unit.format(change.value),
            change.verdict == .untested ? "" : change.verdict.rawValue,
            unit.formatDifference(change.difference),
            change.interval.map(unit.formatInterval) ?? "",
            change.probability.map(\.probabilityText) ?? "",
          ]
        }), ReportSection(title: "Slices that got worse", notes: comparison.slices.sentences),
    ]
    let classes = comparison.classes.prefix(Self.maxListedClasses)
    sections.append(
      ReportSection(
        title: "Changes by class", columns: ["class", "items", "regressions", "fixes"],
        rows: classes.map { flips in
          let count = self.classes.first { $0.label == flips.label }?.count
          return [
            flips.label, count.map { "\($0)" } ?? "", "\(flips.regressions)", "\(flips.fixes)",
          ]
        }))
    for (title, flips) in [
      ("Regressions", comparison.regressions ?? []), ("Fixes", comparison.fixes),
    ] {
      let shown = flips.prefix(Self.maxListedFlips)
      sections.append(
        ReportSection(
          title: flips.count > shown.count ? "\(title): \(shown.count) of \(flips.count)" : title,
          columns: ["item", "truth", "before", "now"],
          rows: shown.map { [$0.name, $0.truth, $0.baseline, $0.prediction] }))
    }
    return sections
  }
}

extension EvaluationResult {
  /// The changes that are not tested, and what they need.
  private func untestedSentences(_ comparison: BaselineComparison) -> [String] {
    let names = comparison.changes.filter { change in
      change.verdict == .untested && metrics[change.name]?.interval != nil
        && metrics[change.name]?.direction != .neither
    }.map(\.name)
    guard !names.isEmpty, comparison.hasSameItems else { return [] }
    return [
      "not tested: \(names.joined(separator: ", ")); the baseline needs its log for their scores"
    ]
  }

  /// What got worse and for whom, in a few sentences.
  var highlights: [String] {
    (comparison?.sentences ?? [])
      + (comparison?.slices.findings ?? []).map { "Got worse: \($0.sentence)" }
      + worstSlices.findings.map { "Worse than the others: \($0.sentence)" }
  }
}

extension BaselineComparison {
  /// The numbers of changed items in words.
  var sentences: [String] {
    let items = "\(count) item\(count == 1 ? "" : "s")"
    var sentences: [String] = []
    if let regressions {
      let probability = SignificanceTest.mcNemar(regressions.count, fixes.count)
      let isTie = probability >= SignificanceTest.level
      sentences.append(
        "of \(items), \(regressions.count) got wrong and \(fixes.count) got right; "
          + "p \(probability.relationText)\(isTie ? ", which is a tie" : "")")
    }
    if !hasSameItems {
      sentences.append("the baseline has other items; \(count) are in both")
    }
    return sentences
  }
}

extension OperatingPoint.Method {
  /// The name in tables.
  fileprivate var displayName: String {
    switch self {
    case .f1: "F1"
    case .youden: "Youden"
    case .cost: "cost"
    }
  }
}

extension MetricValue {
  /// The interval as text; `nil` if it is unknown.
  var intervalText: String? { interval.map(unit.formatInterval) }
}

extension MetricValue.Unit {
  /// Formats an interval for display, with the unit once.
  func formatInterval(_ interval: ConfidenceInterval) -> String {
    let (low, high) = (format(interval.low), format(interval.high))
    let suffix = self == .fraction ? " %" : self == .milliseconds ? " ms" : ""
    // A dash between numbers with signs looks like a sign.
    let dash = (low + high).contains("-") ? " to " : "–"
    return (low.hasSuffix(suffix) ? String(low.dropLast(suffix.count)) : low) + dash + high
  }

  /// Formats a difference for display, with its sign.
  func formatDifference(_ value: Double) -> String {
    let text = format(value)
    return value > 0 && !text.hasPrefix("-") ? "+\(text)" : text
  }
}
