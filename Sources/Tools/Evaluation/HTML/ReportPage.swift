import TensorIOBundle
import TensorIOCore
import TensorIODrawing

/// A report as a self-contained HTML page without scripts or external resources.
///
/// Thumbnails of the sample images are embedded when the page is rendered. Untrusted text, such as
/// labels, names and model cards, is always escaped.
public struct ReportPage: Sendable {
  private let report: EvaluationReport
  private let cards: [String: String]
  /// What samples show, by item name, for each result.
  private let contents: [[String: SampleContent]]

  /// Creates the page of a report.
  ///
  /// - Parameters:
  ///   - report: The report.
  ///   - cards: The model cards as Markdown, by the path of the model.
  public init(_ report: EvaluationReport, cards: [String: String] = [:]) {
    self.init(report, cards: cards, contents: [])
  }

  /// Creates the page of a report whose samples have texts, sounds, or images with results drawn on them.
  package init(
    _ report: EvaluationReport, cards: [String: String], contents: [[String: SampleContent]]
  ) {
    (self.report, self.cards, self.contents) = (report, cards, contents)
  }

  /// The page in UTF-8.
  public var html: [UInt8] { Array("<!DOCTYPE html>\n\(document.source)\n".utf8) }

  /// The page without its document type declaration.
  var document: Markup {
    .element(
      "html", ["lang": "en"],
      .element(
        "head", [:], .element("meta", ["charset": "utf-8"]),
        .element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
        .element("meta", ["name": "color-scheme", "content": "light dark"]),
        .element("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
        .element("title", [:], Markup(title)), .style(ReportStyle.rules),
        .style(SVGChartRenderer.rules), .style(EnlargeableImage.rules)),
      .element("body", [:], header, .element("main", [:], [summary] + sections), footer))
  }

  /// The content security policy, which prevents browsers from loading or running anything.
  private static let policy =
    "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'"

  private var title: String {
    "Evaluation of "
      + report.displayNames.map(\.displayText).joined(separator: ", ").truncated(to: 120)
  }
}

// MARK: Sections

extension ReportPage {
  private var header: Markup {
    .element(
      "header", [:], verdict, .element("p", ["class": "eyebrow"], "Evaluation"),
      .element(
        "h1", [:],
        Markup(
          report.displayNames.map(\.displayText).joined(separator: " · ").truncated(to: 160))),
      .element(
        "p", ["class": "secondary"],
        Markup(Set(report.results.map(\.data)).sorted().joined(separator: ", "))),
      .element(
        "pre", ["class": "command", "tabindex": "0"],
        .element("code", [:], Markup(report.command))))
  }

  /// Whether the models pass their gates, and what got worse.
  private var verdict: Markup {
    let lines = report.headlines
    let passes = report.results.allSatisfy(\.verdict.passes)
    let first = lines.first ?? "No gates were set"
    let kind = lines.isEmpty ? "verdict" : passes ? "verdict passed" : "verdict failed"
    let others = Array(lines.dropFirst()) + report.results.flatMap(\.highlights)
    return .element(
      "div", ["class": kind],
      [.element("p", [:], .element("strong", [:], Markup(first.truncated(to: 300).singleLine)))]
        + others.map { .element("p", [:], Markup($0.truncated(to: 300).singleLine)) })
  }

  private var summary: Markup {
    .element(
      "section", [:],
      report.overview.map { DecisionSections.markup(of: $0, heading: "h2") } ?? .empty,
      .element("h2", [:], "Metrics"),
      report.results.isEmpty
        ? .element("p", [:], "There are no results.") : MetricsTable(report).markup)
  }

  private var sections: [Markup] {
    zip(report.displayNames, report.results).enumerated().map { index, entry in
      let (name, result) = entry
      return ResultSection(
        result, name: name, card: cards[result.model.path],
        contents: contents.indices.contains(index) ? contents[index] : [:], id: "image-\(index)"
      ).markup
    }
  }

  private var footer: Markup {
    let facts = ["tensorio \(report.toolVersion)", report.machine, report.date]
      .filter { !$0.isEmpty }
    let identities = zip(report.displayNames, report.results).map { name, result in
      let facts = result.identity.facts.map { "\($0.name) \($0.value)" }
      return facts.isEmpty ? "" : "\(name.displayText): \(facts.joined(separator: " · "))"
    }
    return .element(
      "footer", [:],
      ([facts.joined(separator: " · ")] + identities).filter { !$0.isEmpty }.map {
        .element("p", [:], Markup($0))
      })
  }
}

/// The section of one result.
struct ResultSection {
  /// The maximum number of failed items that are listed; the rest are counted.
  private static let maxListedFailures = 100

  private let result: EvaluationResult
  private let name: String
  private let card: String?
  private let contents: [String: SampleContent]
  /// What the ids of the images begin with.
  private let id: String

  init(
    _ result: EvaluationResult, name: String, card: String?, contents: [String: SampleContent],
    id: String
  ) {
    (self.result, self.name, self.card) = (result, name, card)
    (self.contents, self.id) = (contents, id)
  }

  var markup: Markup {
    .element(
      "section", ["class": "result"], .element("h2", [:], Markup(name.displayText)),
      .element("p", ["class": "secondary path"], Markup("\(result.model.path) on \(result.data)")),
      DecisionSections(result, contents: contents, id: id).markup,
      SampleGrid(result.samples, contents: contents, id: id).markup,
      charts,
      ClassTable(result).markup, stages, failed,
      modelCard)
  }

  private var charts: Markup {
    let charts = result.charts.map { SVGChartRenderer($0).figure }
    return charts.isEmpty ? .empty : .element("div", ["class": "chart-grid"], charts)
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
      "details", [:], .element("summary", [:], "Latency per item, in milliseconds"),
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
      .element("summary", [:], "\(count) item\(count == 1 ? "" : "s") could not be evaluated"),
      .element("ul", [:], items), rest > 0 ? .element("p", [:], "… and \(rest) more.") : .empty)
  }

  private var modelCard: Markup {
    guard let card, !card.isEmpty else { return .empty }
    return .element(
      "details", ["class": "card"], .element("summary", [:], "Model card"),
      .element("div", ["class": "markdown"], MarkdownRenderer.report.markup(MarkdownDocument(card)))
    )
  }
}

extension MarkdownRenderer {
  /// The renderer of model cards below the name of a model.
  static let report = MarkdownRenderer(topHeading: 3, links: .followed)
}

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

/// The gates, slices and changes of a result.
struct DecisionSections {
  private let result: EvaluationResult
  /// What items show, by their names.
  private let contents: [String: SampleContent]
  /// What the ids of the images begin with.
  private let id: String

  init(_ result: EvaluationResult, contents: [String: SampleContent], id: String) {
    (self.result, self.contents, self.id) = (result, contents, id)
  }

  var markup: Markup {
    Markup(result.decisionSections.map { Self.markup(of: $0) } + [flips])
  }

  /// Returns a heading with the sentences and the table of a section.
  static func markup(of section: ReportSection, heading: StaticString = "h3") -> Markup {
    Markup([
      .element(heading, [:], Markup(section.title.displayText)),
      section.notes.isEmpty
        ? .empty
        : .element(
          "ul", ["class": "notes"],
          section.notes.map { .element("li", [:], Markup($0.truncated(to: 300).singleLine)) }),
      section.rows.isEmpty
        ? .empty
        : .element(
          "div", ["class": "scroll", "tabindex": "0"],
          .element(
            "table", [:],
            .element(
              "thead", [:],
              .element(
                "tr", [:],
                section.columns.enumerated().map { index, title in
                  .element(
                    "th", ["scope": "col", "class": index == 0 ? nil : "number"],
                    Markup(title.displayText))
                })), .element("tbody", [:], section.rows.map(row)))),
    ])
  }

  private static func row(_ cells: [String]) -> Markup {
    .element(
      "tr", [:],
      cells.enumerated().map { index, cell in
        index == 0
          ? .element("th", ["scope": "row"], Markup(cell.displayText))
          : .element("td", ["class": cssClass(cell)], Markup(cell.displayText))
      })
  }

  private static func cssClass(_ cell: String) -> String {
    switch cell {
    case "passed", "better": "number better"
    case "FAILED", "worse": "number worse"
    default: "number"
    }
  }

  /// The images, texts or sounds of items that changed.
  private var flips: Markup {
    guard let comparison = result.comparison else { return .empty }
    let lists = [
      ("Examples of regressions", comparison.regressions ?? [], false),
      ("Examples of fixes", comparison.fixes, true),
    ]
    return Markup(
      lists.map { title, flips, isFix in
        let shown = flips.filter { $0.imagePath != nil || contents[$0.name] != nil }
          .prefix(SamplePredictions.maxCount)
        guard !shown.isEmpty else { return .empty }
        let figures = shown.enumerated().map { index, flip in
          SampleFigure(
            SamplePrediction(
              name: flip.name, imagePath: flip.imagePath, groundTruth: flip.truth,
              prediction: "\(flip.prediction), before \(flip.baseline)", isCorrect: isFix,
              loss: 0), contents[flip.name],
            id: "\(id)-\(isFix ? "fix" : "regression")-\(index)")
        }
        return Markup([
          .element("h3", [:], Markup(title)),
          SampleGrid.list(figures),
        ])
      })
  }
}

/// The metrics of each class; if there are many classes, the weakest come first.
struct ClassTable {
  /// The maximum number of classes that are shown in the order of the labels.
  private static let maxUnsortedClasses = 40
  /// The metrics by which classes are sorted; the first available one is used.
  private static let rankingMetrics = ["f1", "ap", "iou"]

  private let names: [String]
  private let classes: [ClassResult]

  init(_ result: EvaluationResult) {
    names = result.classMetricNames
    classes =
      result.classes.count > Self.maxUnsortedClasses
      ? Self.sortedWorstFirst(result.classes, names) : result.classes
  }

  private static func sortedWorstFirst(
    _ classes: [ClassResult], _ names: [String]
  ) -> [ClassResult] {
    let name = rankingMetrics.first(where: names.contains) ?? names.first ?? ""
    let values = classes.map { result in
      result.metrics[name]?.value.flatMap { $0.isNaN ? nil : $0 } ?? .infinity
    }
    return classes.indices.sorted { (values[$0], $0) < (values[$1], $1) }.map { classes[$0] }
  }

  var markup: Markup {
    guard !classes.isEmpty else { return .empty }
    let isLong = classes.count > Self.maxUnsortedClasses
    return .element(
      "details", ["open": isLong ? nil : "open"],
      .element("summary", [:], "\(classes.count) classes\(isLong ? ", weakest first" : "")"),
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
          + names.map {
            .element("th", ["scope": "col", "class": "number"], Markup($0.displayText))
          }))
  }

  private func row(_ result: ClassResult) -> Markup {
    .element(
      "tr", [:],
      [
        .element("th", ["scope": "row"], Markup(result.label.displayText)),
        .element("td", ["class": "number"], "\(result.count)"),
      ] + names.map { cell(result.metrics[$0]) })
  }

  /// Returns a cell; a fraction has a bar in its background.
  private func cell(_ metric: MetricValue?) -> Markup {
    guard let metric, metric.unit == .fraction, let value = metric.value, value.isFinite else {
      return .element("td", ["class": "number"], Markup(metric?.formatted ?? ""))
    }
    let fraction = min(max(value, 0), 1).formatted(decimals: 3)
    return .element(
      "td", ["class": "number fraction", "style": "--fraction:\(fraction)"],
      Markup(metric.formatted))
  }
}
