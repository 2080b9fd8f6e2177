extension Canvas {
  /// Below this a score reads 0.0 %, and its bar is empty.
  static let smallestShownFraction = 0.000_5

  /// Draws a panel over the lower left corner, sized to the canvas.
  ///
  /// Dark glass behind light letters can be read on any picture. Labels that are too long end in an
  /// ellipsis; entries that find no place are left out, from the last. Without entries nothing is
  /// drawn.
  public mutating func draw(_ panel: ScorePanel) {
    guard !panel.entries.isEmpty else { return }
    let layout = ScorePanelLayout(panel, on: self)
    fillRectangle(layout.box, color: .glass, cornerRadius: 0.5 * layout.textSize)
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
    text(
      layout.labels[row], at: Point(x: layout.box.x + layout.padding, y: textY), size: size,
      color: ink)
    let score = entry.scoreText
    text(
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
    guard fraction >= Self.smallestShownFraction else { return }
    // Never narrower than high, so that even a small share shows as a dot of its colour.
    let filled = Rectangle(
      x: track.x, y: track.y, width: max(track.height, track.width * fraction), height: track.height
    )
    fillRectangle(filled, color: color, cornerRadius: track.height / 2)
  }
}

extension Color {
  /// What lies behind letters on a picture.
  static let glass = Color(red: 14, green: 16, blue: 20, alpha: 0.72)
}
