import TensorIOSystem

/// The form of text on a stream: the width that lines fit, and whether parts of them are colored.
///
/// The text itself has no marks. Its conventions decide what is colored: a severity, a state or a verdict begins a
/// line, a heading begins in the first column and ends in a colon.
struct TerminalText {
  /// The color of a part of a line.
  enum Style: String {
    case heading = "1"
    case error = "1;31"
    case success = "1;32"
    case warning = "1;33"
    case hint = "36"

    /// Returns a text with the codes of the style.
    func applied(to text: some StringProtocol) -> String { "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" }
  }

  /// The least number of columns that lines are fitted to.
  static let minWidth = 20

  /// The number of columns; `nil` for lines of any width.
  let width: Int?
  /// Whether parts of lines are colored.
  let isColored: Bool

  /// Returns a text as lines that fit the width.
  ///
  /// A line is broken at spaces. Its continuation begins below the second column of a table, if there is one. A
  /// word that does not fit, such as a path, is not broken.
  ///
  /// - Parameters:
  ///   - text: The text, without control characters except line feeds.
  ///   - prefix: The style of the text before the first colon; `nil` colors by the conventions.
  /// - Returns: The lines.
  func lines(_ text: String, prefix: Style? = nil) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      let fitting = width.map { Self.wrapped(String(line), to: $0) } ?? [String(line)]
      guard isColored else { return fitting }
      let first = fitting.prefix(1).map { Self.colored($0, of: line, prefix: prefix) }
      let rest = zip(fitting, fitting.dropFirst())
      return first + rest.map { Self.coloredContinuation($1, after: $0) }
    }
  }
}

// MARK: Fitting

extension TerminalText {
  /// Returns the parts of a line, broken at spaces.
  static func wrapped(_ line: String, to width: Int) -> [String] {
    let width = max(width, minWidth)
    guard line.displayWidth > width else { return [line] }
    let indent = String(repeating: " ", count: continuationIndent(of: line, width: width))
    var (lines, current, used, hasText) = ([String](), "", 0, false)
    for word in words(of: line) {
      let length = word.text.displayWidth
      if hasText, used + word.spaces + length > width {
        lines.append(current)
        (current, used) = (indent + word.text, indent.count + length)
      } else {
        current += String(repeating: " ", count: word.spaces) + word.text
        used += word.spaces + length
      }
      hasText = true
    }
    return lines + [current]
  }

  /// Returns the words of a line with the number of spaces before each.
  private static func words(of line: String) -> [(spaces: Int, text: String)] {
    var words: [(spaces: Int, text: String)] = []
    var (spaces, text) = (0, "")
    for character in line {
      if character == " " {
        if !text.isEmpty { (words, spaces, text) = (words + [(spaces, text)], 0, "") }
        spaces += 1
      } else {
        text.append(character)
      }
    }
    return text.isEmpty ? words : words + [(spaces, text)]
  }

  /// Returns the column below which the continuation of a line begins: that of the second column of a table, or
  /// two more than the line's own.
  private static func continuationIndent(of line: String, width: Int) -> Int {
    let words = words(of: line)
    var (column, indent) = (0, 0)
    for (index, word) in words.enumerated() {
      column += word.spaces
      if index == 0 { indent = column }
      if index > 0, word.spaces > 1 { return column <= width * 3 / 5 ? column : indent + 4 }
      column += word.text.displayWidth
    }
    return min(indent + 2, width / 2)
  }
}

// MARK: Coloring

extension TerminalText {
  private static let styles: [(words: [String], style: Style)] = [
    (["error", "missing", "FAILED", "invalid"], .error),
    (["ok", "PASSED", "valid"], .success),
    (["warning", "optional"], .warning),
    (["hint"], .hint),
  ]

  private static func style(of word: some StringProtocol) -> Style? {
    styles.first { $0.words.contains { $0 == word } }?.style
  }

  /// Returns the first part of a line with its colors.
  private static func colored(_ part: String, of line: Substring, prefix: Style?) -> String {
    if let prefix, let colon = part.firstIndex(of: ":") {
      return prefix.applied(to: part[...colon]) + part[part.index(after: colon)...]
    }
    guard let first = part.first, first != " " else { return coloringBars(part) }
    let word = part.prefix { $0.isLetter }
    if let style = style(of: word) { return style.applied(to: word) + part.dropFirst(word.count) }
    if line.hasSuffix(":") || (line.hasPrefix("— ") && line.hasSuffix(" —")) {
      return Style.heading.applied(to: part)
    }
    return coloringVerdict(part)
  }

  /// Returns a continuation with its colors; it can begin with the verdict behind a name.
  private static func coloredContinuation(_ part: String, after previous: String) -> String {
    let text = part.drop { $0 == " " }
    let word = text.prefix { $0.isLetter }
    guard previous.hasSuffix(":"), let style = style(of: word) else { return coloringBars(part) }
    let indent = part.prefix(part.count - text.count)
    return indent + style.applied(to: word) + text.dropFirst(word.count)
  }

  /// Colors `usage:` and a verdict behind a name: `NAME: FAILED: …` or `NAME: valid`.
  private static func coloringVerdict(_ part: String) -> String {
    if part.hasPrefix("usage:") { return Style.heading.applied(to: "usage:") + part.dropFirst(6) }
    let pieces = part.split(separator: ": ", omittingEmptySubsequences: false)
    guard let index = pieces.indices.dropFirst().first(where: { style(of: pieces[$0]) != nil }),
      let style = style(of: pieces[index])
    else { return coloringBars(part) }
    return pieces.enumerated().map { $0 == index ? style.applied(to: $1) : String($1) }
      .joined(separator: ": ")
  }

  /// Colors the bars of scores.
  private static func coloringBars(_ part: String) -> String {
    guard let start = part.firstIndex(of: "█"), let end = part.lastIndex(of: "█") else {
      return part
    }
    return part[..<start] + Style.hint.applied(to: part[start...end])
      + part[part.index(after: end)...]
  }
}
