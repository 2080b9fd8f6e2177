internal import TensorIOCore

/// What sums models up, side by side.
struct FiguresTable {
  private let report: EvaluationReport

  init(_ report: EvaluationReport) { self.report = report }

  var markup: Markup {
    .tag(
      "div", ["class": "scroll", "tabindex": "0"],
      .tag(
        "table", ["class": "figures"], head, body("How good", \.figures),
        body("How fast", \.speed.figures)))
  }

  private var head: Markup {
    .tag(
      "thead", [:],
      .tag(
        "tr", [:],
        [.tag("th", ["scope": "col"], "figure")]
          + zip(report.names, report.results).map { name, result in
            .tag(
              "th", ["scope": "col", "class": "number"], Markup(name.shown),
              .tag("small", [:], Markup(Self.count(of: result))))
          }))
  }

  private static func count(of result: EvaluationResult) -> String {
    let failed = result.errors.isEmpty ? "" : ", \(result.errors.count) failed"
    return "\(result.count) item\(result.count == 1 ? "" : "s")\(failed)"
  }

  private func body(_ title: StaticString, _ figures: (EvaluationResult) -> [Figure]) -> Markup {
    let names = report.figureNames(figures)
    guard !names.isEmpty else { return .nothing }
    let span = "\(report.results.count + 1)"
    let heading = Markup.tag(
      "tr", ["class": "group"],
      .tag("th", ["scope": "rowgroup", "colspan": span], Markup(title.description)))
    return .tag(
      "tbody", [:],
      [heading] + names.map { name in row(name, report.results.map { figures($0)[name] }) })
  }

  private func row(_ name: String, _ figures: [Figure?]) -> Markup {
    let best = Self.best(figures)
    return .tag(
      "tr", [:],
      [.tag("th", ["scope": "row"], Markup(name.shown))]
        + figures.map { figure in
          let isBest = best != nil && figure?.value == best
          return .tag(
            "td", ["class": isBest ? "number best" : "number"], Markup(figure?.text ?? ""))
        })
  }

  /// The best of several values that are not all the same; `nil` where none is better.
  private static func best(_ figures: [Figure?]) -> Double? {
    let values = figures.compactMap { $0?.value }.filter { !$0.isNaN }
    guard Set(values).count > 1 else { return nil }
    switch figures.compactMap(\.self).first?.better {
    case .higher: return values.max()
    case .lower: return values.min()
    case .neither, nil: return nil
    }
  }
}
