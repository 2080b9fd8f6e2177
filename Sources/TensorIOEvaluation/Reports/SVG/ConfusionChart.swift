internal import TensorIOCore

/// What was taken for what, as a square of cells: the true class is the row.
struct ConfusionChart {
  /// Beyond so many classes, the most confused are shown.
  static let limit = 40
  /// Up to so many classes there is room for the counts.
  private static let numbered = 24
  /// Up to so many classes the chart is no wider than others.
  private static let narrow = 12
  /// So many letters of a label are shown.
  private static let letters = 14
  private static let letterWidth = 6.4
  /// How little and how much a cell can be filled, so that its number can be read.
  private static let faintest = 0.25
  private static let strongest = 0.6

  private let confusion: ConfusionResult
  private let count: Int
  private let totals: [Int: Double]

  /// A chart of a matrix; `nil` of an empty one.
  init?(_ confusion: ConfusionResult?) {
    guard let confusion, !confusion.labels.isEmpty else { return nil }
    count = confusion.labels.count
    self.confusion = confusion.mostConfused(Self.limit)
    totals = self.confusion.cells.reduce(into: [:]) { $0[$1.truth, default: 0] += Double($1.count) }
  }

  /// The chart with its caption.
  var markup: Markup {
    .tag(
      "figure", ["class": labels.count > Self.narrow ? "plot wide" : "plot"],
      .tag("h4", [:], "Confusion"),
      .tag("div", ["class": "scroll", "tabindex": "0"], drawing),
      .tag("figcaption", [:], Markup(note)))
  }

  private var note: String {
    let colour =
      "A cell is as strong as its share of the true class; mistakes have a colour of their own."
    return count > labels.count
      ? "\(colour) The \(labels.count) most confused of \(count) classes." : colour
  }

  private var labels: [String] { confusion.labels }

  /// The drawing alone.
  var drawing: Markup {
    let side = Double(labels.count) * cell
    return .svg(
      "Confusion", details, width: margin + side + 4, height: margin + side + 4,
      [names, board(side)] + labels.indices.flatMap(words) + confusion.cells.compactMap(mark))
  }

  private var details: String {
    let mistakes = confusion.mostFrequent(5)
    guard !mistakes.isEmpty else { return "Nothing was taken for anything else." }
    return mistakes.map { "\($0.truth.shown) taken for \($0.found.shown): \($0.count)" }
      .joined(separator: "; ")
  }
}

// MARK: Places

extension ConfusionChart {
  private var cell: Double {
    labels.count <= Self.narrow ? 30 : labels.count <= Self.numbered ? 24 : 16
  }

  private var margin: Double {
    let longest = labels.map { $0.letters(Self.letters).wideCount }.max() ?? 0
    return 30 + Double(longest) * Self.letterWidth
  }

  private func place(_ index: Int) -> Double { margin + Double(index) * cell }
}

// MARK: Parts

extension ConfusionChart {
  private var names: Markup {
    let middle = margin + Double(labels.count) * cell / 2
    return Markup([
      .tag("text", ["class": "name middle", "x": middle.place, "y": "12"], "taken for"),
      .tag(
        "text", ["class": "name middle", "transform": "translate(12 \(middle.place)) rotate(-90)"],
        "true class"),
    ])
  }

  private func board(_ side: Double) -> Markup {
    .tag(
      "rect",
      [
        "class": "board", "x": margin.place, "y": margin.place, "width": side.place,
        "height": side.place,
      ])
  }

  /// A label to the left of its row and above its column.
  private func words(_ index: Int) -> [Markup] {
    let label = Markup(labels[index].letters(Self.letters))
    let middle = place(index) + cell / 2
    let edge = margin - 6
    return [
      .tag(
        "text", ["class": "tick end", "x": edge.place, "y": (middle + 4).place], label),
      .tag(
        "text",
        [
          "class": "tick",
          "transform": "translate(\((middle + 4).place) \(edge.place)) rotate(-90)",
        ], label),
    ]
  }

  private func mark(_ cell: ConfusionResult.Cell) -> Markup? {
    guard labels.indices.contains(cell.truth), labels.indices.contains(cell.found), cell.count > 0
    else { return nil }
    let words =
      "\(labels[cell.truth].shown) taken for \(labels[cell.found].shown): \(cell.count)"
    return .tag(
      "g", [:], .tag("title", [:], Markup(words)), square(cell),
      labels.count <= Self.numbered ? number(cell) : .nothing)
  }

  private func square(_ cell: ConfusionResult.Cell) -> Markup {
    let share = Double(cell.count) / max(1, totals[cell.truth] ?? 1)
    let opacity = Self.faintest + (Self.strongest - Self.faintest) * share.squareRoot()
    return .tag(
      "rect",
      [
        "class": cell.truth == cell.found ? "right" : "wrong",
        "x": (place(cell.found) + 0.5).place, "y": (place(cell.truth) + 0.5).place,
        "width": (self.cell - 1).place, "height": (self.cell - 1).place,
        "fill-opacity": opacity.fixed(2),
      ])
  }

  private func number(_ cell: ConfusionResult.Cell) -> Markup {
    .tag(
      "text",
      [
        "class": "count middle", "x": (place(cell.found) + self.cell / 2).place,
        "y": (place(cell.truth) + self.cell / 2 + 4).place,
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
  fileprivate func letters(_ room: Int) -> String {
    let text = shown
    guard text.wideCount > room else { return text }
    let half = (room - 1) / 2
    let end = String(String(text.reversed()).beginning(half).reversed())
    return text.beginning(room - 1 - half) + "…" + end
  }

  private func beginning(_ room: Int) -> String {
    var (kept, used) = ("", 0)
    for letter in self {
      used += letter.isWide ? 2 : 1
      if used > room { break }
      kept.append(letter)
    }
    return kept
  }

  /// How many letters of usual width the text is as long as.
  fileprivate var wideCount: Int { reduce(0) { $0 + ($1.isWide ? 2 : 1) } }
}

extension Character {
  /// Whether it is as wide as two letters are: pictures, and most scripts of East Asia.
  fileprivate var isWide: Bool {
    guard let first = unicodeScalars.first?.value else { return false }
    return (0x1100...0x115F).contains(first) || (0x2E80...0xFFDC).contains(first)
      || first >= 0x1F000
  }
}
