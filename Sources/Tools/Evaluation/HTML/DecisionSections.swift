import TensorIODrawing

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
