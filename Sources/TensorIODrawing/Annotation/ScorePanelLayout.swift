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
  static let smallestText = 13.0
  /// How much of the canvas's height and width a panel may cover.
  static let largestHeightShare = 0.5
  static let largestWidthShare = 0.75
  /// Everything else relative to the size of letters.
  static let lineSpacing = 1.6
  static let longestBar = 6.0
  static let shortestBar = 2.0
  static let gap = 0.75
  static let padding = 0.8

  var padding: Double { Self.padding * textSize }
  /// Between the panel and the edge of the canvas.
  var margin: Double { padding }
  /// Where scores end.
  var scoreMaxX: Double { box.maxX - padding }

  init(_ panel: ScorePanel, on canvas: borrowing Canvas) {
    let size = max(
      Self.smallestText, Self.relativeTextSize * Double(min(canvas.width, canvas.height)))
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
    let available = max(width * Self.largestWidthShare, min(width, 20 * size)) - 4 * padding
    let forLabelAndBar = available - scoreWidth - 2 * gap
    let barLength = min(
      Self.longestBar * size, max(Self.shortestBar * size, forLabelAndBar - wantedLabelWidth))
    let labelWidth = max(0, min(wantedLabelWidth, forLabelAndBar - barLength))

    self.textSize = size
    self.rowHeight = rowHeight
    self.entries = entries
    self.barLength = barLength
    labels = entries.map { canvas.shortened($0.label, toWidth: labelWidth, size: size) }
    barX = 2 * padding + labelWidth + gap
    let boxHeight = 2 * padding + Double(entries.count) * rowHeight - (rowHeight - size) / 2
    box = Canvas.Rectangle(
      x: padding, y: height - padding - boxHeight,
      width: 2 * padding + labelWidth + gap + barLength + gap + scoreWidth, height: boxHeight)
  }

  /// At least one row, however low the canvas is.
  private static func rowCount(height: Double, rowHeight: Double, padding: Double) -> Int {
    let rows = (height * largestHeightShare - 2 * padding) / rowHeight
    return max(1, Int(exactly: rows.rounded(.down)) ?? 1)
  }

  /// The upper edge of a row.
  func rowY(_ row: Int) -> Double {
    box.y + padding + Double(row) * rowHeight - (rowHeight - textSize) / 4
  }
}
