extension Canvas {
  /// How many characters of a text are looked at: more fit on no canvas.
  static let longestText = 4_000
  /// The sizes of letters that a font is asked for.
  static let textSizes = 1.0...2_000.0

  /// Writes a line of text, with the upper left corner of the box it takes at a point.
  ///
  /// The box is ``width(of:size:)`` wide and ``lineHeight(size:)`` high; nothing is drawn outside
  /// of it. What would break a line, and other control characters, become spaces.
  public mutating func text(_ text: String, at corner: Point, size: Double, color: Color) {
    guard Self.isDrawable(corner.x, corner.y), let size = Self.usable(size) else { return }
    let line = Self.line(text)
    let measure = surface.measure(line, size: size)
    surface.write(
      line, at: Point(x: corner.x + measure.overhang, y: corner.y + measure.ascent), size: size,
      color: color,
      inside: Rectangle(x: corner.x, y: corner.y, width: measure.width, height: measure.height))
  }

  /// The width that a line of text takes.
  public func width(of text: String, size: Double) -> Double {
    guard let size = Self.usable(size) else { return 0 }
    return surface.measure(Self.line(text), size: size).width
  }

  /// The height that a line of text takes.
  public func lineHeight(size: Double) -> Double {
    guard let size = Self.usable(size) else { return 0 }
    return surface.measure("", size: size).height
  }

  /// As much of a text as fits into a width, with an ellipsis where it was cut.
  public func shortened(_ text: String, toWidth limit: Double, size: Double) -> String {
    let line = Self.line(text)
    if width(of: line, size: size) <= limit { return line }
    let characters = Array(line)
    var (fits, tooLong) = (0, characters.count)
    while tooLong - fits > 1 {
      let middle = (fits + tooLong) / 2
      let isShort = width(of: Self.cut(characters, middle), size: size) <= limit
      if isShort { fits = middle } else { tooLong = middle }
    }
    return Self.cut(characters, fits)
  }

  private static func cut(_ characters: [Character], _ count: Int) -> String {
    var kept = characters[..<count]
    while kept.last?.isWhitespace == true { kept.removeLast() }
    return String(kept) + "…"
  }

  private static func usable(_ size: Double) -> Double? {
    size.isFinite ? min(max(size, textSizes.lowerBound), textSizes.upperBound) : nil
  }

  /// A text as one line that cairo takes.
  static func line(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    line.append(contentsOf: text.prefix(longestText).unicodeScalars.map(\.drawable))
    return String(line)
  }
}

extension Unicode.Scalar {
  /// The scalar, or what stands for it in a line: NUL would end the text, other control characters
  /// would show as boxes, and one noncharacter makes cairo refuse the drawing as a whole.
  fileprivate var drawable: Unicode.Scalar {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: " "
    case .unassigned where properties.isNoncharacterCodePoint: "\u{FFFD}"
    default: self
    }
  }
}
