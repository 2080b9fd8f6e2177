extension Canvas {
  /// Draws the edge of a rectangle; the line lies inside it.
  ///
  /// What is no rectangle, with sides that are negative or not finite, is not drawn.
  public mutating func strokeRectangle(
    _ rectangle: Rectangle, color: Color, lineWidth: Double = 2
  ) {
    guard let box = rectangle.clamped, lineWidth.isFinite, lineWidth > 0 else { return }
    let middle = box.inset(by: lineWidth / 2)
    if middle.width > 0, middle.height > 0 {
      surface.stroke(.rectangle(middle), with: color, width: lineWidth)
    } else {
      surface.fill(.rectangle(box), with: color)
    }
  }

  /// Fills a rectangle, with rounded corners if asked to.
  public mutating func fillRectangle(
    _ rectangle: Rectangle, color: Color, cornerRadius: Double = 0
  ) {
    guard let box = rectangle.clamped, cornerRadius.isFinite else { return }
    surface.fill(.rectangle(box, cornerRadius: max(0, cornerRadius)), with: color)
  }

  /// Draws a line from point to point.
  public mutating func strokeLine(_ points: [Point], color: Color, lineWidth: Double = 2) {
    guard points.count > 1, lineWidth > 0, Self.isDrawable(lineWidth) else { return }
    guard points.allSatisfy({ Self.isDrawable($0.x, $0.y) }) else { return }
    surface.stroke(.line(points), with: color, width: lineWidth)
  }

  /// Draws a circle; the line lies to both sides of it.
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
  /// How many characters of a text are looked at: more fit on no canvas.
  static let maxTextLength = 4_000
  /// The sizes of letters that a font is asked for.
  static let textSizes = 1.0...2_000.0

  /// Writes a line of text, with the upper left corner of the box it takes at a point.
  ///
  /// The box is ``width(of:size:)`` wide and ``lineHeight(size:)`` high; nothing is drawn outside
  /// of it. What would break a line, and other control characters, become spaces.
  public mutating func drawText(_ text: String, at corner: Point, size: Double, color: Color) {
    guard Self.isDrawable(corner.x, corner.y), let size = Self.clampedTextSize(size) else { return }
    let line = Self.singleLine(text)
    let measure = surface.measure(line, size: size)
    surface.drawText(
      line, at: Point(x: corner.x + measure.leftOverhang, y: corner.y + measure.ascent), size: size,
      color: color,
      clippedTo: Rectangle(x: corner.x, y: corner.y, width: measure.width, height: measure.height))
  }

  /// The width that a line of text takes.
  public func width(of text: String, size: Double) -> Double {
    guard let size = Self.clampedTextSize(size) else { return 0 }
    return surface.measure(Self.singleLine(text), size: size).width
  }

  /// The height that a line of text takes.
  public func lineHeight(size: Double) -> Double {
    guard let size = Self.clampedTextSize(size) else { return 0 }
    return surface.measure("", size: size).height
  }

  /// As much of a text as fits into a width, with an ellipsis where it was cut.
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
    var kept = characters[..<count]
    while kept.last?.isWhitespace == true { kept.removeLast() }
    return String(kept) + "…"
  }

  private static func clampedTextSize(_ size: Double) -> Double? {
    size.isFinite ? min(max(size, textSizes.lowerBound), textSizes.upperBound) : nil
  }

  /// A text as one line that cairo takes.
  static func singleLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    line.append(contentsOf: text.prefix(maxTextLength).unicodeScalars.map(\.sanitized))
    return String(line)
  }
}

extension Unicode.Scalar {
  /// The scalar, or what stands for it in a line: NUL would end the text, other control characters
  /// would show as boxes, and one noncharacter makes cairo refuse the drawing as a whole.
  fileprivate var sanitized: Unicode.Scalar {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: " "
    case .unassigned where properties.isNoncharacterCodePoint: "\u{FFFD}"
    default: self
    }
  }
}
