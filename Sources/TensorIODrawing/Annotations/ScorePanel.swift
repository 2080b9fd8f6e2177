/// Labels and their scores as bars, to lie over a corner of a picture.
///
/// ```swift
/// var canvas = try Canvas(enlarging: picture)
/// canvas.draw(ScorePanel([.init(label: "tabby", score: 0.83), .init(label: "lynx", score: 0.11)]))
/// ```
public struct ScorePanel: Sendable, Hashable {
  /// A label and how sure the model is of it.
  public struct Entry: Sendable, Hashable {
    /// What it is.
    public var label: String
    /// From 0, certainly not, to 1, certainly.
    public var score: Double
    /// The class, which chooses the colour; without one the place in the list does.
    public var index: Int?

    /// A label with a score.
    public init(label: String, score: Double, index: Int? = nil) {
      self.label = label
      self.score = score
      self.index = index
    }
  }

  /// The rows, from the top.
  public var entries: [Entry]

  /// A panel with a row for each entry.
  public init(_ entries: [Entry]) {
    self.entries = entries
  }
}

extension ScorePanel.Entry {
  /// How much of the bar is filled.
  var fraction: Double { score.isFinite ? min(max(score, 0), 1) : 0 }

  /// The score as percents; what is no share of one stays a number.
  var scoreText: String {
    if score.isNaN { return "–" }
    guard (0...1).contains(score) else { return Self.rounded(score, decimals: 2) }
    return Self.rounded(score * 100, decimals: 1) + " %"
  }

  /// A number with a few decimals, or in its shortest form where that would take too much room.
  private static func rounded(_ value: Double, decimals: Int) -> String {
    var unit = 1.0
    for _ in 0..<decimals { unit *= 10 }
    guard let units = Int(exactly: (abs(value) * unit).rounded()), units < 100_000_000 else {
      return "\(value)"
    }
    let (whole, rest) = units.quotientAndRemainder(dividingBy: Int(unit))
    let digits = String(rest)
    let zeros = String(repeating: "0", count: decimals - digits.count)
    return (value < 0 ? "-" : "") + "\(whole).\(zeros)\(digits)"
  }
}

/// Where the parts of a panel go on a canvas.
struct ScorePanelLayout {
  /// The size of letters, and with it of everything else.
  let textSize: Double
  /// The panel.
  let box: Canvas.Rectangle
  /// The entries that find place.
  let entries: ArraySlice<ScorePanel.Entry>
  /// What is written of each label.
  let labels: [String]
  /// From the top of a row to that of the next.
  let rowHeight: Double
  /// Where bars begin, from the left of the canvas.
  let barX: Double
  /// How long a full bar is.
  let barLength: Double

  /// Letters relative to the shorter side of the canvas, but never too small to read.
  static let relativeTextSize = 0.034
  static let minTextSize = 13.0
  /// How much of the canvas's height and width a panel may cover.
  static let maxHeightFraction = 0.5
  static let maxWidthFraction = 0.75
  /// Everything else relative to the size of letters.
  static let lineSpacing = 1.6
  static let maxBarLength = 6.0
  static let minBarLength = 2.0
  static let gap = 0.75
  static let padding = 0.8

  var padding: Double { Self.padding * textSize }
  /// Between the panel and the edge of the canvas.
  var margin: Double { padding }
  /// Where scores end.
  var scoreMaxX: Double { box.maxX - padding }

  init(_ panel: ScorePanel, on canvas: borrowing Canvas) {
    let size = max(
      Self.minTextSize, Self.relativeTextSize * Double(min(canvas.width, canvas.height)))
    let (padding, gap) = (Self.padding * size, Self.gap * size)
    let (width, height) = (Double(canvas.width), Double(canvas.height))
    let rowHeight = Self.lineSpacing * size
    let entries = panel.entries.prefix(
      Self.rowCount(height: height, rowHeight: rowHeight, padding: padding))

    var scoreWidth = 0.0
    var wantedLabelWidth = 0.0
    for entry in entries {
      scoreWidth = max(scoreWidth, canvas.width(of: entry.scoreText, size: size))
      wantedLabelWidth = max(wantedLabelWidth, canvas.width(of: entry.label, size: size))
    }
    let available = max(width * Self.maxWidthFraction, min(width, 20 * size)) - 4 * padding
    let forLabelAndBar = available - scoreWidth - 2 * gap
    let barLength = min(
      Self.maxBarLength * size, max(Self.minBarLength * size, forLabelAndBar - wantedLabelWidth))
    let labelWidth = max(0, min(wantedLabelWidth, forLabelAndBar - barLength))

    self.textSize = size
    self.rowHeight = rowHeight
    self.entries = entries
    self.barLength = barLength
    labels = entries.map { canvas.truncated($0.label, toWidth: labelWidth, size: size) }
    barX = 2 * padding + labelWidth + gap
    let boxHeight = 2 * padding + Double(entries.count) * rowHeight - (rowHeight - size) / 2
    box = Canvas.Rectangle(
      x: padding, y: height - padding - boxHeight,
      width: 2 * padding + labelWidth + gap + barLength + gap + scoreWidth, height: boxHeight)
  }

  /// At least one row, however low the canvas is.
  private static func rowCount(height: Double, rowHeight: Double, padding: Double) -> Int {
    let rows = (height * maxHeightFraction - 2 * padding) / rowHeight
    return max(1, Int(exactly: rows.rounded(.down)) ?? 1)
  }

  /// The upper edge of a row.
  func rowY(_ row: Int) -> Double {
    box.y + padding + Double(row) * rowHeight - (rowHeight - textSize) / 4
  }
}

extension Canvas {
  /// Below this a score reads 0.0 %, and its bar is empty.
  static let minVisibleFraction = 0.000_5

  /// Draws a panel over the lower left corner, sized to the canvas.
  ///
  /// Dark glass behind light letters can be read on any picture. Labels that are too long end in an
  /// ellipsis; entries that find no place are left out, from the last. Without entries nothing is
  /// drawn.
  public mutating func draw(_ panel: ScorePanel) {
    guard !panel.entries.isEmpty else { return }
    let layout = ScorePanelLayout(panel, on: self)
    fillRectangle(layout.box, color: .panelBackground, cornerRadius: 0.5 * layout.textSize)
    for (row, entry) in layout.entries.enumerated() {
      draw(entry, inRow: row, of: layout)
    }
  }

  private mutating func draw(
    _ entry: ScorePanel.Entry, inRow row: Int, of layout: ScorePanelLayout
  ) {
    let (size, y) = (layout.textSize, layout.rowY(row))
    let textY = y + (layout.rowHeight - lineHeight(size: size)) / 2
    let ink = row == 0 ? Color.white : .white.opacity(0.86)
    drawText(
      layout.labels[row], at: Point(x: layout.box.x + layout.padding, y: textY), size: size,
      color: ink)
    let score = entry.scoreText
    drawText(
      score, at: Point(x: layout.scoreMaxX - width(of: score, size: size), y: textY), size: size,
      color: ink)
    drawBar(
      entry.fraction, color: .forClass(entry.index ?? row),
      in: Rectangle(
        x: layout.barX, y: y + (layout.rowHeight - 0.5 * size) / 2, width: layout.barLength,
        height: 0.5 * size))
  }

  private mutating func drawBar(_ fraction: Double, color: Color, in track: Rectangle) {
    fillRectangle(track, color: .white.opacity(0.2), cornerRadius: track.height / 2)
    guard fraction >= Self.minVisibleFraction else { return }
    // Never narrower than high, so that even a small share shows as a dot of its colour.
    let filled = Rectangle(
      x: track.x, y: track.y, width: max(track.height, track.width * fraction), height: track.height
    )
    fillRectangle(filled, color: color, cornerRadius: track.height / 2)
  }
}

extension Color {
  /// What lies behind letters on a picture.
  static let panelBackground = Color(red: 14, green: 16, blue: 20, alpha: 0.72)
}
