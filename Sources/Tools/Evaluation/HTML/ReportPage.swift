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
