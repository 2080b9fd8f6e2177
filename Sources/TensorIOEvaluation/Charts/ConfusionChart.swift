import TensorIOCore
import TensorIODrawing

/// A chart of a confusion matrix with actual classes in rows and predicted classes in columns.
struct ConfusionChart {
  /// The maximum number of classes; of more, the most confused are shown.
  static let maxClasses = 40
  /// The maximum number of classes for which cells contain counts.
  private static let maxClassesWithCounts = 24
  /// The maximum number of classes for which the chart has the regular width.
  private static let maxNarrowClasses = 12
  /// The maximum display width of a label, in characters.
  private static let maxLabelWidth = 14
  private static let characterWidth = 6.4
  /// The range of a cell's opacity, which keeps its count readable.
  private static let minOpacity = 0.25
  private static let maxOpacity = 0.6

  private let confusion: ConfusionResult
  private let count: Int
  private let totals: [Int: Double]

  /// Creates a chart; `nil` for an empty matrix.
  init?(_ confusion: ConfusionResult?) {
    guard let confusion, !confusion.labels.isEmpty else { return nil }
    count = confusion.labels.count
    self.confusion = confusion.mostConfused(Self.maxClasses)
    totals = self.confusion.cells.reduce(into: [:]) {
      $0[$1.actual, default: 0] += Double($1.count)
    }
  }

  /// The chart with its caption.
  var markup: Markup {
    .element(
      "figure",
      ["class": labels.count > Self.maxNarrowClasses ? "chart-figure wide" : "chart-figure"],
      .element("h4", [:], "Confusion"),
      .element("div", ["class": "scroll", "tabindex": "0"], svg),
      .element("figcaption", [:], Markup(caption)))
  }

  private var caption: String {
    let text =
      "Opacity shows the fraction of the actual class. Misclassifications have a separate color."
    return count > labels.count
      ? "\(text) Showing the \(labels.count) most confused of \(count) classes." : text
  }

  private var labels: [String] { confusion.labels }

  /// The chart without its caption.
  var svg: Markup {
    let side = Double(labels.count) * cell
    return .svg(
      "Confusion", details, width: margin + side + 4, height: margin + side + 4,
      [names, background(side)] + labels.indices.flatMap(axisLabels)
        + confusion.cells.compactMap(cellMarkup))
  }

  private var details: String {
    let mistakes = confusion.mostFrequentMisclassifications(5)
    guard !mistakes.isEmpty else { return "No misclassifications" }
    return mistakes.map {
      "\($0.actual.displayText) predicted as \($0.predicted.displayText): \($0.count)"
    }.joined(separator: "; ")
  }
}

// MARK: Layout

extension ConfusionChart {
  private var cell: Double {
    labels.count <= Self.maxNarrowClasses ? 30 : labels.count <= Self.maxClassesWithCounts ? 24 : 16
  }

  private var margin: Double {
    let maxWidth =
      labels.map { $0.truncatedMiddle(toWidth: Self.maxLabelWidth).displayWidth }.max() ?? 0
    return 30 + Double(maxWidth) * Self.characterWidth
  }

  private func offset(_ index: Int) -> Double { margin + Double(index) * cell }
}

// MARK: Elements

extension ConfusionChart {
  private var names: Markup {
    let middle = margin + Double(labels.count) * cell / 2
    return Markup([
      .element(
        "text", ["class": "name middle", "x": middle.svgCoordinate, "y": "12"], "predicted"),
      .element(
        "text",
        [
          "class": "name middle",
          "transform": "translate(12 \(middle.svgCoordinate)) rotate(-90)",
        ], "actual"),
    ])
  }

  private func background(_ side: Double) -> Markup {
    .element(
      "rect",
      [
        "class": "matrix-background", "x": margin.svgCoordinate, "y": margin.svgCoordinate,
        "width": side.svgCoordinate, "height": side.svgCoordinate,
      ])
  }

  /// Returns the label to the left of a row and above a column.
  private func axisLabels(_ index: Int) -> [Markup] {
    let label = Markup(labels[index].truncatedMiddle(toWidth: Self.maxLabelWidth))
    let middle = offset(index) + cell / 2
    let edge = margin - 6
    return [
      .element(
        "text",
        ["class": "tick end", "x": edge.svgCoordinate, "y": (middle + 4).svgCoordinate], label),
      .element(
        "text",
        [
          "class": "tick",
          "transform": "translate(\((middle + 4).svgCoordinate) \(edge.svgCoordinate)) rotate(-90)",
        ], label),
    ]
  }

  private func cellMarkup(_ cell: ConfusionResult.Cell) -> Markup? {
    guard labels.indices.contains(cell.actual), labels.indices.contains(cell.predicted),
      cell.count > 0
    else { return nil }
    let (actual, predicted) = (labels[cell.actual], labels[cell.predicted])
    let title = "\(actual.displayText) predicted as \(predicted.displayText): \(cell.count)"
    return .element(
      "g", [:], .element("title", [:], Markup(title)), square(cell),
      labels.count <= Self.maxClassesWithCounts ? number(cell) : .empty)
  }

  private func square(_ cell: ConfusionResult.Cell) -> Markup {
    let fraction = Double(cell.count) / max(1, totals[cell.actual] ?? 1)
    let opacity = Self.minOpacity + (Self.maxOpacity - Self.minOpacity) * fraction.squareRoot()
    return .element(
      "rect",
      [
        "class": cell.actual == cell.predicted ? "correct-cell" : "incorrect-cell",
        "x": (offset(cell.predicted) + 0.5).svgCoordinate,
        "y": (offset(cell.actual) + 0.5).svgCoordinate,
        "width": (self.cell - 1).svgCoordinate, "height": (self.cell - 1).svgCoordinate,
        "fill-opacity": opacity.formatted(decimals: 2),
      ])
  }

  private func number(_ cell: ConfusionResult.Cell) -> Markup {
    .element(
      "text",
      [
        "class": "count middle", "x": (offset(cell.predicted) + self.cell / 2).svgCoordinate,
        "y": (offset(cell.actual) + self.cell / 2 + 4).svgCoordinate,
      ],
      Markup(Self.abbreviated(cell.count)))
  }

  /// Returns a count abbreviated to fit a cell.
  private static func abbreviated(_ count: Int) -> String {
    switch count {
    case ..<1000: "\(count)"
    case ..<1_000_000: "\(count / 1000)k"
    default: "\(count / 1_000_000)M"
    }
  }
}

extension String {
  /// Returns the text with its middle removed to fit a display width.
  fileprivate func truncatedMiddle(toWidth width: Int) -> String {
    let text = displayText
    guard text.displayWidth > width else { return text }
    let half = (width - 1) / 2
    let end = String(String(text.reversed()).prefix(fittingWidth: half).reversed())
    return text.prefix(fittingWidth: width - 1 - half) + "…" + end
  }

  private func prefix(fittingWidth width: Int) -> String {
    var (prefix, used) = ("", 0)
    for character in self {
      used += character.isWide ? 2 : 1
      if used > width { break }
      prefix.append(character)
    }
    return prefix
  }

  /// The display width in units of a regular character.
  fileprivate var displayWidth: Int { reduce(0) { $0 + ($1.isWide ? 2 : 1) } }
}

extension Character {
  /// Whether the character takes two columns, like emoji and most East Asian scripts.
  fileprivate var isWide: Bool {
    guard let first = unicodeScalars.first?.value else { return false }
    return (0x1100...0x115F).contains(first) || (0x2E80...0xFFDC).contains(first)
      || first >= 0x1F000
  }
}
