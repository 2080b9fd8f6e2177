import TensorIOCore
import TensorIODrawing

/// A report as one page of HTML that needs nothing besides itself: no network, no scripts, no files.
///
/// The pictures of the worst mistakes and the best answers are read when the page is made, and stand
/// in it small. Whatever comes from outside (labels, names, the bundles' cards) is text on the page,
/// never markup.
public struct ReportPage: Sendable {
  private let report: EvaluationReport
  private let cards: [String: String]

  /// The page of a report, with what the bundles say of themselves: Markdown by the models' paths.
  public init(_ report: EvaluationReport, cards: [String: String] = [:]) {
    (self.report, self.cards) = (report, cards)
  }

  /// The page, in UTF-8.
  public var html: [UInt8] { Array("<!DOCTYPE html>\n\(document.source)\n".utf8) }

  /// The page without the line that says that it is one.
  var document: Markup {
    .element(
      "html", ["lang": "en"],
      .element(
        "head", [:], .element("meta", ["charset": "utf-8"]),
        .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
        .element("meta", ["name": "color-scheme", "content": "light dark"]),
        .element("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
        .element("title", [:], Markup(title)), .style(ReportStyle.rules)),
      .element("body", [:], header, .element("main", [:], [summary] + sections), footer))
  }

  /// Whatever the page is made to hold, nothing of it is fetched or run.
  private static let policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

  private var title: String {
    "Evaluation of " + report.displayNames.map(\.displayText).joined(separator: ", ").truncated(to: 120)
  }
}

// MARK: Parts

extension ReportPage {
  private var header: Markup {
    .element(
      "header", [:], .element("p", ["class": "kicker"], "Evaluation"),
      .element("h1", [:], Markup(report.displayNames.map(\.displayText).joined(separator: " · ").truncated(to: 160))),
      .element(
        "p", ["class": "soft"],
        Markup(Set(report.results.map(\.data)).sorted().joined(separator: ", "))),
      .element("pre", ["class": "command", "tabindex": "0"], .element("code", [:], Markup(report.command))))
  }

  private var summary: Markup {
    .element(
      "section", [:], .element("h2", [:], "Figures"),
      report.results.isEmpty ? .element("p", [:], "Nothing was judged.") : MetricsTable(report).markup)
  }

  private var sections: [Markup] {
    zip(report.displayNames, report.results).map { name, result in
      ResultSection(result, name: name, card: cards[result.model.path]).markup
    }
  }

  private var footer: Markup {
    let facts = ["tensorio \(report.toolVersion)", report.machine, report.date].filter { !$0.isEmpty }
    return .element("footer", [:], .element("p", [:], Markup(facts.joined(separator: " · "))))
  }
}

/// What there is to say and to show of one result.
struct ResultSection {
  /// So many failed items are listed; the others are counted.
  private static let maxListedFailures = 100

  private let result: EvaluationResult
  private let name: String
  private let card: String?

  init(_ result: EvaluationResult, name: String, card: String?) {
    (self.result, self.name, self.card) = (result, name, card)
  }

  var markup: Markup {
    .element(
      "section", ["class": "result"], .element("h2", [:], Markup(name.displayText)),
      .element("p", ["class": "soft path"], Markup("\(result.model.path) on \(result.data)")),
      SampleGrid(result.samples).markup, plots, ClassTable(result).markup, stages, failed, modelCard)
  }

  private var plots: Markup {
    let charts = [
      ConfusionChart(result.confusion)?.markup,
      CurveChart(.precisionRecall, of: result.curves)?.markup,
      CurveChart(.roc, of: result.curves)?.markup, CalibrationChart(result.calibration)?.markup,
      LatencyChart(result.performance)?.markup,
    ].compactMap(\.self)
    return charts.isEmpty ? .empty : .element("div", ["class": "plots"], charts)
  }
}

// MARK: Tables

extension ResultSection {
  private var stages: Markup {
    guard !result.performance.stageLatencies.isEmpty else { return .empty }
    let titles = ["stage", "mean", "p50", "p90", "p99"].enumerated().map { index, title in
      Markup.element(
        "th", ["scope": "col", "class": index == 0 ? nil : "number"], Markup(title))
    }
    return .element(
      "details", [:], .element("summary", [:], "Time per item, in milliseconds"),
      .element(
        "div", ["class": "scroll", "tabindex": "0"],
        .element(
          "table", [:], .element("thead", [:], .element("tr", [:], titles)),
          .element("tbody", [:], result.performance.stageLatencies.map(row)))))
  }

  private func row(_ stage: StageLatency) -> Markup {
    .element(
      "tr", [:],
      [.element("th", ["scope": "row"], Markup(stage.name.displayText))]
        + [stage.mean, stage.p50, stage.p90, stage.p99].map {
          .element("td", ["class": "number"], Markup($0.formatted(decimals: 3)))
        })
  }

  private var failed: Markup {
    let count = result.failedItems.count
    guard count > 0 else { return .empty }
    let items = result.failedItems.prefix(Self.maxListedFailures).map { error in
      Markup.element(
        "li", [:], .element("b", [:], Markup(error.name.displayText)), ": ",
        Markup(error.message.truncated(to: 300)))
    }
    let rest = count - items.count
    return .element(
      "details", ["open": "open"],
      .element("summary", [:], "\(count) item\(count == 1 ? "" : "s") could not be judged"),
      .element("ul", [:], items), rest > 0 ? .element("p", [:], "… and \(rest) more.") : .empty)
  }

  private var modelCard: Markup {
    guard let card, !card.isEmpty else { return .empty }
    return .element(
      "details", ["class": "card"], .element("summary", [:], "What the bundle says of itself"),
      MarkdownDocument(card).markup)
  }
}

/// What sums models up, side by side.
struct MetricsTable {
  private let report: EvaluationReport

  init(_ report: EvaluationReport) { self.report = report }

  var markup: Markup {
    .element(
      "div", ["class": "scroll", "tabindex": "0"],
      .element(
        "table", ["class": "figures"], head, body("How good", \.metrics),
        body("How fast", \.performance.metrics)))
  }

  private var head: Markup {
    .element(
      "thead", [:],
      .element(
        "tr", [:],
        [.element("th", ["scope": "col"], "figure")]
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

  private func body(_ title: StaticString, _ figures: (EvaluationResult) -> [MetricValue]) -> Markup {
    let names = report.metricNames(figures)
    guard !names.isEmpty else { return .empty }
    let span = "\(report.results.count + 1)"
    let heading = Markup.element(
      "tr", ["class": "group"],
      .element("th", ["scope": "rowgroup", "colspan": span], Markup(title.description)))
    return .element(
      "tbody", [:],
      [heading] + names.map { name in row(name, report.results.map { figures($0)[name] }) })
  }

  private func row(_ name: String, _ figures: [MetricValue?]) -> Markup {
    let best = Self.best(figures)
    return .element(
      "tr", [:],
      [.element("th", ["scope": "row"], Markup(name.displayText))]
        + figures.map { figure in
          let isBest = best != nil && figure?.value == best
          return .element(
            "td", ["class": isBest ? "number best" : "number"], Markup(figure?.formatted ?? ""))
        })
  }

  /// The best of several values that are not all the same; `nil` where none is better.
  private static func best(_ figures: [MetricValue?]) -> Double? {
    let values = figures.compactMap { $0?.value }.filter { !$0.isNaN }
    guard Set(values).count > 1 else { return nil }
    switch figures.compactMap(\.self).first?.direction {
    case .higher: return values.max()
    case .lower: return values.min()
    case .neither, nil: return nil
    }
  }
}

/// What there is to say of each class; where there are many, the weakest first.
struct ClassTable {
  /// So many classes can be taken in at once, in the order of the labels.
  private static let maxUnsortedClasses = 40
  /// By these, the first that there is, classes are weak or strong.
  private static let rankingMetrics = ["f1", "ap", "iou"]

  private let names: [String]
  private let classes: [ClassResult]

  init(_ result: EvaluationResult) {
    names = result.classMetricNames
    classes =
      result.classes.count > Self.maxUnsortedClasses ? Self.sortedWorstFirst(result.classes, names) : result.classes
  }

  private static func sortedWorstFirst(_ classes: [ClassResult], _ names: [String]) -> [ClassResult] {
    let name = rankingMetrics.first(where: names.contains) ?? names.first ?? ""
    let values = classes.map { line in
      line.metrics[name]?.value.flatMap { $0.isNaN ? nil : $0 } ?? .infinity
    }
    return classes.indices.sorted { (values[$0], $0) < (values[$1], $1) }.map { classes[$0] }
  }

  var markup: Markup {
    guard !classes.isEmpty else { return .empty }
    let isLong = classes.count > Self.maxUnsortedClasses
    return .element(
      "details", ["open": isLong ? nil : "open"],
      .element("summary", [:], "\(classes.count) classes\(isLong ? ", the weakest first" : "")"),
      .element(
        "div", ["class": "scroll", "tabindex": "0"],
        .element("table", ["class": "classes"], head, .element("tbody", [:], classes.map(row)))))
  }

  private var head: Markup {
    .element(
      "thead", [:],
      .element(
        "tr", [:],
        [
          .element("th", ["scope": "col"], "class"),
          .element("th", ["scope": "col", "class": "number"], "items"),
        ]
          + names.map { .element("th", ["scope": "col", "class": "number"], Markup($0.displayText)) }))
  }

  private func row(_ line: ClassResult) -> Markup {
    .element(
      "tr", [:],
      [
        .element("th", ["scope": "row"], Markup(line.label.displayText)),
        .element("td", ["class": "number"], "\(line.count)"),
      ] + names.map { cell(line.metrics[$0]) })
  }

  /// A share has a bar behind it.
  private func cell(_ figure: MetricValue?) -> Markup {
    guard let figure, figure.unit == .fraction, let value = figure.value, value.isFinite else {
      return .element("td", ["class": "number"], Markup(figure?.formatted ?? ""))
    }
    return .element(
      "td", ["class": "number share", "style": "--share:\(min(max(value, 0), 1).formatted(decimals: 3))"],
      Markup(figure.formatted))
  }
}
