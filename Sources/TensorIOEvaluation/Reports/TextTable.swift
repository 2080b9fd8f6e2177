/// Rows of figures below their titles, as people read them.
package struct TextTable {
  private static let indent = "  "
  private static let gap = "  "

  private let rows: [[String]]
  private let leadingTextColumns: Int
  private let widths: [Int]

  /// A table whose first so many columns hold words, which begin where figures end.
  package init(_ titles: [String], _ rows: [[String]], leadingTextColumns: Int = 0) {
    let rows = [titles] + rows
    self.rows = rows
    self.leadingTextColumns = leadingTextColumns
    widths = titles.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
  }

  /// The table, a line a row.
  package var lines: [String] { rows.map { line($0, Array($0.indices)) } }

  /// The table, below each other in parts when it is wider than so many letters.
  func lines(width: Int) -> [String] {
    columnGroups(width: width).enumerated().flatMap { number, columns in
      (number == 0 ? [] : [""]) + rows.map { line($0, [0] + columns) }
    }
  }

  /// Which columns, besides the first, stand beside each other.
  private func columnGroups(width: Int) -> [[Int]] {
    var parts: [[Int]] = [[]]
    var used = Self.indent.count + widths[0]
    for column in 1..<max(1, rows[0].count) {
      let more = Self.gap.count + widths[column]
      if used + more > width, parts[parts.count - 1].isEmpty == false {
        parts.append([])
        used = Self.indent.count + widths[0]
      }
      parts[parts.count - 1].append(column)
      used += more
    }
    return parts
  }

  private func line(_ row: [String], _ columns: [Int]) -> String {
    let cells = columns.map { column in
      let blanks = String(repeating: " ", count: widths[column] - row[column].count)
      return column < leadingTextColumns ? row[column] + blanks : blanks + row[column]
    }
    return (Self.indent + cells.joined(separator: Self.gap)).trimmingTrailingSpaces
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}

extension String {
  /// A letter can have any number of accents; so many parts of one are shown.
  private static let maxScalarsPerCharacter = 12

  /// As much of a label or a name as is shown anywhere.
  var displayText: String { truncated(to: 80).singleLine }

  /// The text in so many letters, the last a sign that there were more.
  func truncated(to count: Int) -> String {
    guard unicodeScalars.count > count else { return self }
    let letters = prefix(count)
    let isWhole = letters.endIndex == endIndex
    return (isWhole ? letters : letters.dropLast()).map(Self.limitingCombiningMarks).joined() + (isWhole ? "" : "…")
  }

  private static func limitingCombiningMarks(_ letter: Character) -> String {
    String(String.UnicodeScalarView(letter.unicodeScalars.prefix(maxScalarsPerCharacter)))
  }

  /// The text without line breaks.
  var singleLine: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
