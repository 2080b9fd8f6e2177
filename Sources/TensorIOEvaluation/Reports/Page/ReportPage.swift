internal import TensorIOCore

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
    .tag(
      "html", ["lang": "en"],
      .tag(
        "head", [:], .tag("meta", ["charset": "utf-8"]),
        .tag("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"]),
        .tag("meta", ["name": "color-scheme", "content": "light dark"]),
        .tag("meta", ["http-equiv": "Content-Security-Policy", "content": Self.policy]),
        .tag("title", [:], Markup(title)), .style(PageStyle.rules)),
      .tag("body", [:], header, .tag("main", [:], [summary] + sections), footer))
  }

  /// Whatever the page is made to hold, nothing of it is fetched or run.
  private static let policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

  private var title: String {
    "Evaluation of " + report.names.map(\.shown).joined(separator: ", ").cut(to: 120)
  }
}

// MARK: Parts

extension ReportPage {
  private var header: Markup {
    .tag(
      "header", [:], .tag("p", ["class": "kicker"], "Evaluation"),
      .tag("h1", [:], Markup(report.names.map(\.shown).joined(separator: " · ").cut(to: 160))),
      .tag(
        "p", ["class": "soft"],
        Markup(Set(report.results.map(\.data)).sorted().joined(separator: ", "))),
      .tag("pre", ["class": "command", "tabindex": "0"], .tag("code", [:], Markup(report.command))))
  }

  private var summary: Markup {
    .tag(
      "section", [:], .tag("h2", [:], "Figures"),
      report.results.isEmpty ? .tag("p", [:], "Nothing was judged.") : FiguresTable(report).markup)
  }

  private var sections: [Markup] {
    zip(report.names, report.results).map { name, result in
      ResultSection(result, name: name, card: cards[result.model.path]).markup
    }
  }

  private var footer: Markup {
    let facts = ["tensorio \(report.program)", report.machine, report.date].filter { !$0.isEmpty }
    return .tag("footer", [:], .tag("p", [:], Markup(facts.joined(separator: " · "))))
  }
}
