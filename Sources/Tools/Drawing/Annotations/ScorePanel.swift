import TensorIOCore

/// A panel with labels and score bars in a corner of an image.
///
/// ```swift
/// import TensorIO
/// import TensorIODrawing
///
/// var canvas = try Canvas(enlarging: ImageBuffer(contentsOf: "cat.jpg"))
/// canvas.draw(ScorePanel([.init(label: "tabby", score: 0.83), .init(label: "lynx", score: 0.11)]))
/// ```
public struct ScorePanel: Sendable, Hashable {
  /// A label with its score.
  public struct Entry: Sendable, Hashable {
    /// The label.
    public var label: String
    /// The score, from 0 to 1.
    public var score: Double
    /// The class, which determines the color; `nil` to use the position in the panel.
    public var index: Int?

    /// Creates an entry.
    public init(label: String, score: Double, index: Int? = nil) {
      self.label = label
      self.score = score
      self.index = index
    }
  }

  /// The rows, top to bottom.
  public var entries: [Entry]

  /// Creates a panel with a row for each entry.
  public init(_ entries: [Entry]) {
    self.entries = entries
  }
}

extension ScorePanel.Entry {
  /// The fraction of the bar that is filled.
  var fraction: Double { score.limitedToUnit }

  /// The score in percent if it is between 0 and 1, and as a number otherwise.
  var scoreText: String {
    if score.isNaN { return "–" }
    guard (0...1).contains(score) else { return score.formatted(decimals: 2) }
    return (score * 100).formatted(decimals: 1) + " %"
  }
}

/// The positions of the parts of a panel.
struct ScorePanelLayout {
  /// The text size, which all other sizes are relative to.
  let textSize: Double
  /// The rectangle of the panel.
  let box: Canvas.Rectangle
  /// The entries that fit into the panel.
  let entries: ArraySlice<ScorePanel.Entry>
  /// The labels, truncated to fit.
  let labels: [String]
  /// The distance between the tops of adjacent rows.
  let rowHeight: Double
  /// The left edge of the bars.
  let barX: Double
  /// The length of a full bar.
  let barLength: Double

  /// The text size relative to the shorter side of the canvas.
  static let relativeTextSize = 0.034
  static let minTextSize = 13.0
  /// The maximum fractions of the canvas's height and width that the panel covers.
  static let maxHeightFraction = 0.5
  static let maxWidthFraction = 0.75
  /// Relative to the text size.
  static let lineSpacing = 1.6
  static let maxBarLength = 6.0
  static let minBarLength = 2.0
  static let gap = 0.75
  static let padding = 0.8

  var padding: Double { Self.padding * textSize }
  /// The distance between the panel and the edge of the canvas.
  var margin: Double { padding }
  /// The right edge of the scores.
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
    var maxLabelWidth = 0.0
    for entry in entries {
      scoreWidth = max(scoreWidth, canvas.width(of: entry.scoreText, size: size))
      maxLabelWidth = max(maxLabelWidth, canvas.width(of: entry.label, size: size))
    }
    let available = max(width * Self.maxWidthFraction, min(width, 20 * size)) - 4 * padding
    let forLabelAndBar = available - scoreWidth - 2 * gap
    let barLength = min(
      Self.maxBarLength * size, max(Self.minBarLength * size, forLabelAndBar - maxLabelWidth))
    let labelWidth = max(0, min(maxLabelWidth, forLabelAndBar - barLength))

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

  /// Returns the number of rows that fit, at least 1.
  private static func rowCount(height: Double, rowHeight: Double, padding: Double) -> Int {
    let rows = (height * maxHeightFraction - 2 * padding) / rowHeight
    return max(1, Int(exactly: rows.rounded(.down)) ?? 1)
  }

  /// Returns the upper edge of a row.
  func rowY(_ row: Int) -> Double {
    box.y + padding + Double(row) * rowHeight - (rowHeight - textSize) / 4
  }
}

extension Canvas {
  /// The smallest fraction that is displayed as more than 0.0 %.
  static let minVisibleFraction = 0.000_5

  /// Draws a panel in the lower left corner, sized relative to the canvas.
  ///
  /// A dark translucent background keeps the text legible on any image. Labels that are too long
  /// are truncated, and the last entries are omitted if they do not fit. An empty panel is not
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
    // At least as wide as high, so that a small fraction is visible as a dot.
    let filled = Rectangle(
      x: track.x, y: track.y, width: max(track.height, track.width * fraction), height: track.height
    )
    fillRectangle(filled, color: color, cornerRadius: track.height / 2)
  }
}

extension Color {
  /// The background of text on images.
  static let panelBackground = Color(red: 14, green: 16, blue: 20, alpha: 0.72)
}
