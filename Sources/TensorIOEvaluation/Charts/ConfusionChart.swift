import TensorIOCore
import TensorIODrawing

/// What was taken for what, as a square of cells: the true class is the row.
struct ConfusionChart {
  /// Beyond so many classes, the most confused are shown.
  static let maxClasses = 40
  /// Up to so many classes there is room for the counts.
  private static let maxClassesWithCounts = 24
  /// Up to so many classes the chart is no wider than others.
  private static let maxNarrowClasses = 12
  /// So many letters of a label are shown.
  private static let maxLabelWidth = 14
  private static let characterWidth = 6.4
  /// How little and how much a cell can be filled, so that its number can be read.
  private static let minOpacity = 0.25
  private static let maxOpacity = 0.6

  private let confusion: ConfusionResult
  private let count: Int
  private let totals: [Int: Double]

  /// A chart of a matrix; `nil` of an empty one.
  init?(_ confusion: ConfusionResult?) {
    guard let confusion, !confusion.labels.isEmpty else { return nil }
    count = confusion.labels.count
    self.confusion = confusion.mostConfused(Self.maxClasses)
    totals = self.confusion.cells.reduce(into: [:]) { $0[$1.actual, default: 0] += Double($1.count) }
  }

  /// The chart with its caption.
  var markup: Markup {
    .element(
      "figure", ["class": labels.count > Self.maxNarrowClasses ? "plot wide" : "plot"],
      .element("h4", [:], "Confusion"),
      .element("div", ["class": "scroll", "tabindex": "0"], svg),
      .element("figcaption", [:], Markup(note)))
  }

  private var note: String {
    let colour =
      "A cell is as strong as its share of the true class; mistakes have a colour of their own."
    return count > labels.count
      ? "\(colour) The \(labels.count) most confused of \(count) classes." : colour
  }

  private var labels: [String] { confusion.labels }

  /// The drawing alone.
  var svg: Markup {
    let side = Double(labels.count) * cell
    return .svg(
      "Confusion", details, width: margin + side + 4, height: margin + side + 4,
      [names, background(side)] + labels.indices.flatMap(axisLabels) + confusion.cells.compactMap(cellMarkup))
  }

  private var details: String {
    let mistakes = confusion.mostFrequentMisclassifications(5)
    guard !mistakes.isEmpty else { return "Nothing was taken for anything else." }
    return mistakes.map { "\($0.actual.displayText) taken for \($0.predicted.displayText): \($0.count)" }
      .joined(separator: "; ")
  }
}

// MARK: Places

extension ConfusionChart {
  private var cell: Double {
    labels.count <= Self.maxNarrowClasses ? 30 : labels.count <= Self.maxClassesWithCounts ? 24 : 16
  }

  private var margin: Double {
    let longest = labels.map { $0.truncatedMiddle(toWidth: Self.maxLabelWidth).displayWidth }.max() ?? 0
    return 30 + Double(longest) * Self.characterWidth
  }

  private func offset(_ index: Int) -> Double { margin + Double(index) * cell }
}

// MARK: Parts

extension ConfusionChart {
  private var names: Markup {
    let middle = margin + Double(labels.count) * cell / 2
    return Markup([
      .element("text", ["class": "name middle", "x": middle.svgCoordinate, "y": "12"], "taken for"),
      .element(
        "text", ["class": "name middle", "transform": "translate(12 \(middle.svgCoordinate)) rotate(-90)"],
        "true class"),
    ])
  }

  private func background(_ side: Double) -> Markup {
    .element(
      "rect",
      [
        "class": "board", "x": margin.svgCoordinate, "y": margin.svgCoordinate, "width": side.svgCoordinate,
        "height": side.svgCoordinate,
      ])
  }

  /// A label to the left of its row and above its column.
  private func axisLabels(_ index: Int) -> [Markup] {
    let label = Markup(labels[index].truncatedMiddle(toWidth: Self.maxLabelWidth))
    let middle = offset(index) + cell / 2
    let edge = margin - 6
    return [
      .element(
        "text", ["class": "tick end", "x": edge.svgCoordinate, "y": (middle + 4).svgCoordinate], label),
      .element(
        "text",
        [
          "class": "tick",
          "transform": "translate(\((middle + 4).svgCoordinate) \(edge.svgCoordinate)) rotate(-90)",
        ], label),
    ]
  }

  private func cellMarkup(_ cell: ConfusionResult.Cell) -> Markup? {
    guard labels.indices.contains(cell.actual), labels.indices.contains(cell.predicted), cell.count > 0
    else { return nil }
    let words =
      "\(labels[cell.actual].displayText) taken for \(labels[cell.predicted].displayText): \(cell.count)"
    return .element(
      "g", [:], .element("title", [:], Markup(words)), square(cell),
      labels.count <= Self.maxClassesWithCounts ? number(cell) : .empty)
  }

  private func square(_ cell: ConfusionResult.Cell) -> Markup {
    let share = Double(cell.count) / max(1, totals[cell.actual] ?? 1)
    let opacity = Self.minOpacity + (Self.maxOpacity - Self.minOpacity) * share.squareRoot()
    return .element(
      "rect",
      [
        "class": cell.actual == cell.predicted ? "right" : "wrong",
        "x": (offset(cell.predicted) + 0.5).svgCoordinate, "y": (offset(cell.actual) + 0.5).svgCoordinate,
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
      Markup(Self.short(cell.count)))
  }

  /// A count in as few letters as a cell has room for.
  private static func short(_ count: Int) -> String {
    switch count {
    case ..<1000: "\(count)"
    case ..<1_000_000: "\(count / 1000)k"
    default: "\(count / 1_000_000)M"
    }
  }
}

extension String {
  /// As many letters as take so much room: the first ones and the last, which tell names apart.
  fileprivate func truncatedMiddle(toWidth room: Int) -> String {
    let text = displayText
    guard text.displayWidth > room else { return text }
    let half = (room - 1) / 2
    let end = String(String(text.reversed()).prefix(fittingWidth: half).reversed())
    return text.prefix(fittingWidth: room - 1 - half) + "…" + end
  }

  private func prefix(fittingWidth room: Int) -> String {
    var (kept, used) = ("", 0)
    for letter in self {
      used += letter.isWide ? 2 : 1
      if used > room { break }
      kept.append(letter)
    }
    return kept
  }

  /// How many letters of usual width the text is as long as.
  fileprivate var displayWidth: Int { reduce(0) { $0 + ($1.isWide ? 2 : 1) } }
}

extension Character {
  /// Whether it is as wide as two letters are: pictures, and most scripts of East Asia.
  fileprivate var isWide: Bool {
    guard let first = unicodeScalars.first?.value else { return false }
    return (0x1100...0x115F).contains(first) || (0x2E80...0xFFDC).contains(first)
      || first >= 0x1F000
  }
}
