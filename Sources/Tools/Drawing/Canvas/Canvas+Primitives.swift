extension Canvas {
  /// Strokes the edge of a rectangle.
  ///
  /// The line is inside the rectangle.
  ///
  /// Nothing is drawn if a side is negative or a value is not finite.
  public mutating func strokeRectangle(
    _ rectangle: Rectangle, color: Color, lineWidth: Double = 2
  ) {
    guard let box = rectangle.clamped, lineWidth.isFinite, lineWidth > 0 else { return }
    let inner = box.inset(by: lineWidth / 2)
    if inner.width > 0, inner.height > 0 {
      surface.stroke(.rectangle(inner), with: color, width: lineWidth)
    } else {
      surface.fill(.rectangle(box), with: color)
    }
  }

  /// Fills a rectangle, optionally with rounded corners.
  public mutating func fillRectangle(
    _ rectangle: Rectangle, color: Color, cornerRadius: Double = 0
  ) {
    guard let box = rectangle.clamped, cornerRadius.isFinite else { return }
    surface.fill(.rectangle(box, cornerRadius: max(0, cornerRadius)), with: color)
  }

  /// Strokes a line through points.
  public mutating func strokeLine(_ points: [Point], color: Color, lineWidth: Double = 2) {
    guard points.count > 1, lineWidth > 0, Self.isDrawable(lineWidth) else { return }
    guard points.allSatisfy({ Self.isDrawable($0.x, $0.y) }) else { return }
    surface.stroke(.line(points), with: color, width: lineWidth)
  }

  /// Fills the area that a line through points encloses.
  public mutating func fillPolygon(_ points: [Point], color: Color) {
    guard points.count > 2, points.allSatisfy({ Self.isDrawable($0.x, $0.y) }) else { return }
    surface.fill(.line(points), with: color)
  }

  /// Strokes a circle.
  ///
  /// The line is centered on the circle.
  public mutating func strokeCircle(
    center: Point, radius: Double, color: Color, lineWidth: Double = 2
  ) {
    guard Self.isDrawable(center.x, center.y, radius, lineWidth), radius > 0, lineWidth > 0 else {
      return
    }
    surface.stroke(.circle(center: center, radius: radius), with: color, width: lineWidth)
  }

  /// Fills a circle.
  public mutating func fillCircle(center: Point, radius: Double, color: Color) {
    guard Self.isDrawable(center.x, center.y, radius), radius > 0 else { return }
    surface.fill(.circle(center: center, radius: radius), with: color)
  }
}

extension Canvas {
  /// The maximum number of characters of a text that are drawn.
  static let maxTextLength = 4_000
  /// The range of text sizes.
  static let textSizes = 1.0...2_000.0

  /// Draws a line of text with the upper left corner of its box at a point.
  ///
  /// The box is ``width(of:size:)`` wide and ``lineHeight(size:)`` high, and the text is clipped to
  /// it. Line breaks and other control characters are replaced with spaces.
  public mutating func drawText(_ text: String, at corner: Point, size: Double, color: Color) {
    guard Self.isDrawable(corner.x, corner.y), let size = Self.clampedTextSize(size) else { return }
    let line = Self.singleLine(text)
    let metrics = surface.measure(line, size: size)
    surface.drawText(
      line, at: Point(x: corner.x + metrics.leftOverhang, y: corner.y + metrics.ascent), size: size,
      color: color,
      clippedTo: Rectangle(x: corner.x, y: corner.y, width: metrics.width, height: metrics.height))
  }

  /// Returns the width of a line of text.
  public func width(of text: String, size: Double) -> Double {
    guard let size = Self.clampedTextSize(size) else { return 0 }
    return surface.measure(Self.singleLine(text), size: size).width
  }

  /// Returns the height of a line of text.
  public func lineHeight(size: Double) -> Double {
    guard let size = Self.clampedTextSize(size) else { return 0 }
    return surface.measure("", size: size).height
  }

  /// Returns the text truncated to a width, with an ellipsis if it was shortened.
  public func truncated(_ text: String, toWidth limit: Double, size: Double) -> String {
    let line = Self.singleLine(text)
    if width(of: line, size: size) <= limit { return line }
    let characters = Array(line)
    var (fits, tooLong) = (0, characters.count)
    while tooLong - fits > 1 {
      let middle = (fits + tooLong) / 2
      let isShort = width(of: Self.ellipsized(characters, middle), size: size) <= limit
      if isShort { fits = middle } else { tooLong = middle }
    }
    return Self.ellipsized(characters, fits)
  }

  private static func ellipsized(_ characters: [Character], _ count: Int) -> String {
    var prefix = characters[..<count]
    while prefix.last?.isWhitespace == true { prefix.removeLast() }
    return String(prefix) + "…"
  }

  private static func clampedTextSize(_ size: Double) -> Double? {
    size.isFinite ? min(max(size, textSizes.lowerBound), textSizes.upperBound) : nil
  }

  /// Returns the text as one line without characters that cairo rejects.
  static func singleLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    line.append(contentsOf: text.prefix(maxTextLength).unicodeScalars.map(\.sanitized))
    return String(line)
  }
}

extension Unicode.Scalar {
  /// The scalar or its replacement.
  ///
  /// NUL would end the text, other control characters would be drawn as boxes, and noncharacters
  /// make cairo reject the text.
  fileprivate var sanitized: Unicode.Scalar {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: " "
    case .unassigned where properties.isNoncharacterCodePoint: "\u{FFFD}"
    default: self
    }
  }
}
