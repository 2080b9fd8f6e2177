internal import TensorIOCore

/// What there is to say and to show of one result.
struct ResultSection {
  /// So many failed items are listed; the others are counted.
  private static let shownErrors = 100

  private let result: EvaluationResult
  private let name: String
  private let card: String?

  init(_ result: EvaluationResult, name: String, card: String?) {
    (self.result, self.name, self.card) = (result, name, card)
  }

  var markup: Markup {
    .tag(
      "section", ["class": "result"], .tag("h2", [:], Markup(name.shown)),
      .tag("p", ["class": "soft path"], Markup("\(result.model.path) on \(result.data)")),
      SampleGallery(result.samples).markup, plots, ClassTable(result).markup, stages, failed, about)
  }

  private var plots: Markup {
    let charts = [
      ConfusionChart(result.confusion)?.markup,
      CurveChart(.precisionRecall, of: result.curves)?.markup,
      CurveChart(.roc, of: result.curves)?.markup, CalibrationChart(result.calibration)?.markup,
      LatencyChart(result.speed)?.markup,
    ].compactMap(\.self)
    return charts.isEmpty ? .nothing : .tag("div", ["class": "plots"], charts)
  }
}

// MARK: Tables

extension ResultSection {
  private var stages: Markup {
    guard !result.speed.stages.isEmpty else { return .nothing }
    let titles = ["stage", "mean", "p50", "p90", "p99"].enumerated().map { index, title in
      Markup.tag(
        "th", ["scope": "col", "class": index == 0 ? nil : "number"], Markup(title))
    }
    return .tag(
      "details", [:], .tag("summary", [:], "Time per item, in milliseconds"),
      .tag(
        "div", ["class": "scroll", "tabindex": "0"],
        .tag(
          "table", [:], .tag("thead", [:], .tag("tr", [:], titles)),
          .tag("tbody", [:], result.speed.stages.map(row)))))
  }

  private func row(_ stage: StageSpeed) -> Markup {
    .tag(
      "tr", [:],
      [.tag("th", ["scope": "row"], Markup(stage.name.shown))]
        + [stage.mean, stage.p50, stage.p90, stage.p99].map {
          .tag("td", ["class": "number"], Markup($0.fixed(3)))
        })
  }

  private var failed: Markup {
    let count = result.errors.count
    guard count > 0 else { return .nothing }
    let items = result.errors.prefix(Self.shownErrors).map { error in
      Markup.tag(
        "li", [:], .tag("b", [:], Markup(error.name.shown)), ": ",
        Markup(error.message.cut(to: 300)))
    }
    let rest = count - items.count
    return .tag(
      "details", ["open": "open"],
      .tag("summary", [:], "\(count) item\(count == 1 ? "" : "s") could not be judged"),
      .tag("ul", [:], items), rest > 0 ? .tag("p", [:], "… and \(rest) more.") : .nothing)
  }

  private var about: Markup {
    guard let card, !card.isEmpty else { return .nothing }
    return .tag(
      "details", ["class": "card"], .tag("summary", [:], "What the bundle says of itself"),
      MarkdownPage(card).markup)
  }
}
