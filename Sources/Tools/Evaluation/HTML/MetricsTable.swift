import TensorIODrawing

/// The metrics of all models, side by side.
struct MetricsTable {
  private let report: EvaluationReport

  init(_ report: EvaluationReport) { self.report = report }

  var markup: Markup {
    .element(
      "div", ["class": "scroll", "tabindex": "0"],
      .element(
        "table", ["class": "metrics"], head, body("Quality", \.metrics),
        body("Performance", \.performance.metrics)))
  }

  private var head: Markup {
    .element(
      "thead", [:],
      .element(
        "tr", [:],
        [.element("th", ["scope": "col"], "metric")]
          + zip(report.displayNames, report.results).map { name, result in
            .element(
              "th", ["scope": "col", "class": "number"], Markup(name.displayText),
              .element("small", [:], Markup(Self.count(of: result))))
          }))
  }

  private static func count(of result: EvaluationResult) -> String {
    let failed = result.failedItems.isEmpty ? "" : ", \(result.failedItems.count) failed"
    return "\(result.count) item\(result.count == 1 ? "" : "s")\(failed)"
  }

  private func body(
    _ title: StaticString, _ metrics: (EvaluationResult) -> [MetricValue]
  ) -> Markup {
    let names = report.metricNames(metrics)
    guard !names.isEmpty else { return .empty }
    let span = "\(report.results.count + 1)"
    let heading = Markup.element(
      "tr", ["class": "group"],
      .element("th", ["scope": "rowgroup", "colspan": span], Markup(title.description)))
    return .element(
      "tbody", [:],
      [heading] + names.map { name in row(name, report.results.map { metrics($0)[name] }) })
  }

  private func row(_ name: String, _ metrics: [MetricValue?]) -> Markup {
    let best = Self.best(metrics)
    let changes = report.results.map { result in
      result.comparison?.changes.first { $0.name == name }
    }
    let isTie = changes.contains { $0?.verdict == .tie }
    return .element(
      "tr", [:],
      [.element("th", ["scope": "row"], Markup(name.displayText))]
        + zip(metrics, changes).map { metric, change in
          let isBest = best != nil && metric?.value == best && !isTie
          let verdict = change?.verdict ?? .untested
          let classes = ["number", isBest ? "best" : nil, verdict.cssClass].compactMap(\.self)
          let notes = [metric?.intervalText, verdict == .untested ? nil : verdict.rawValue]
            .compactMap(\.self)
          return .element(
            "td", ["class": classes.joined(separator: " ")],
            Markup(metric?.formatted ?? ""),
            notes.isEmpty
              ? .empty : .element("small", [:], Markup(notes.joined(separator: ", "))))
        })
  }

  /// Returns the best of several different values; `nil` if the metric has no direction.
  private static func best(_ metrics: [MetricValue?]) -> Double? {
    let values = metrics.compactMap { $0?.value }.filter { !$0.isNaN }
    guard Set(values).count > 1 else { return nil }
    switch metrics.compactMap(\.self).first?.direction {
    case .higher: return values.max()
    case .lower: return values.min()
    case .neither, nil: return nil
    }
  }
}

extension BaselineComparison.Change.Verdict {
  /// The class of a cell: only a difference that chance does not make has a color.
  fileprivate var cssClass: String? {
    switch self {
    case .better: "better"
    case .worse: "worse"
    case .tie, .untested: nil
    }
  }
}
