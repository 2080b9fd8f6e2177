import TensorIOSystem

/// A text table with aligned columns.
package struct TextTable {
  private static let indent = "  "
  private static let gap = "  "
  /// The least width of the first column.
  private static let minNameWidth = 8

  private let rows: [[String]]
  private let leadingTextColumns: Int
  private let widths: [Int]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - titles: The titles of the columns.
  ///   - rows: The cells of each row.
  ///   - leadingTextColumns: The number of left-aligned columns; the rest are right-aligned.
  package init(_ titles: [String], _ rows: [[String]], leadingTextColumns: Int = 0) {
    let rows = [titles] + rows
    self.rows = rows
    self.leadingTextColumns = leadingTextColumns
    widths = titles.indices.map { column in rows.map { $0[column].displayWidth }.max() ?? 0 }
  }

  /// The lines of the table, one for each row.
  package var lines: [String] { rows.map { line($0, Array($0.indices)) } }

  /// Returns the lines of the table, split into groups of columns if it exceeds a width.
  ///
  /// Names in the first column are shortened in their middle if they leave no room for another one.
  ///
  /// - Parameter width: The number of columns of the terminal; `nil` for any width.
  /// - Returns: The lines.
  package func lines(width: Int?) -> [String] {
    guard let width else { return lines }
    let rest = widths.dropFirst().max() ?? 0
    let room = width - Self.indent.count - (rest > 0 ? Self.gap.count + rest : 0)
    guard widths[0] <= max(room, Self.minNameWidth) else {
      return narrowed(to: max(room, Self.minNameWidth)).lines(width: width)
    }
    return columnGroups(width: width).enumerated().flatMap { number, columns in
      (number == 0 ? [] : [""]) + rows.map { line($0, [0] + columns) }
    }
  }

  /// Returns the table with a first column of a width.
  private func narrowed(to width: Int) -> TextTable {
    let rows = rows.map {
      [$0[0].truncatedMiddle(toDisplayWidth: width)] + $0.dropFirst()
    }
    return TextTable(rows[0], Array(rows.dropFirst()), leadingTextColumns: leadingTextColumns)
  }

  /// Returns the groups of columns, without the first, that fit a width together.
  private func columnGroups(width: Int) -> [[Int]] {
    var groups: [[Int]] = [[]]
    var used = Self.indent.count + widths[0]
    for column in 1..<max(1, rows[0].count) {
      let added = Self.gap.count + widths[column]
      if used + added > width, !groups[groups.count - 1].isEmpty {
        groups.append([])
        used = Self.indent.count + widths[0]
      }
      groups[groups.count - 1].append(column)
      used += added
    }
    return groups
  }

  private func line(_ row: [String], _ columns: [Int]) -> String {
    let cells = columns.map { column in
      let padding = String(repeating: " ", count: widths[column] - row[column].displayWidth)
      return column < leadingTextColumns ? row[column] + padding : padding + row[column]
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
  /// The maximum number of Unicode scalars per character, which limits combining marks.
  private static let maxScalarsPerCharacter = 12

  /// The text truncated for display on one line.
  var displayText: String { truncated(to: 80).singleLine }

  /// Returns the text in at most `count` characters, ending with an ellipsis if it was truncated.
  func truncated(to count: Int) -> String {
    guard unicodeScalars.count > count else { return self }
    let characters = prefix(count)
    let isComplete = characters.endIndex == endIndex
    return (isComplete ? characters : characters.dropLast())
      .map(Self.limitingCombiningMarks).joined() + (isComplete ? "" : "…")
  }

  private static func limitingCombiningMarks(_ character: Character) -> String {
    String(String.UnicodeScalarView(character.unicodeScalars.prefix(maxScalarsPerCharacter)))
  }

  /// The text with line breaks replaced by spaces.
  var singleLine: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
