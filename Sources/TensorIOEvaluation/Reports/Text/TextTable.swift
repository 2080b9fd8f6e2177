/// Rows of cells, aligned: the first column to the left, all others to the right.
struct TextTable {
  private static let indent = "  "
  private static let gap = "  "
  /// The first column is cut off from here on.
  private static let longestName = 32
  /// Other cells are cut off from here on.
  private static let longestCell = 24

  private let rows: [[String]]

  /// A table whose first row are its titles.
  init(titles: [String], rows: [[String]]) {
    self.rows = ([titles] + rows).map { row in
      row.enumerated().map { $1.cut(to: $0 == 0 ? Self.longestName : Self.longestCell).oneLine }
    }
  }

  /// The table, below each other in parts when it is wider than so many letters.
  func lines(width: Int) -> [String] {
    parts(width: width).enumerated().flatMap { number, columns in
      (number == 0 ? [] : [""]) + rows.map { line($0, [0] + columns) }
    }
  }

  /// Which columns, besides the first, stand beside each other.
  private func parts(width: Int) -> [[Int]] {
    var parts: [[Int]] = [[]]
    var used = Self.indent.count + self.width(of: 0)
    for column in 1..<max(1, rows[0].count) {
      let more = Self.gap.count + self.width(of: column)
      if used + more > width, parts[parts.count - 1].isEmpty == false {
        parts.append([])
        used = Self.indent.count + self.width(of: 0)
      }
      parts[parts.count - 1].append(column)
      used += more
    }
    return parts
  }

  private func width(of column: Int) -> Int { rows.map { $0[column].count }.max() ?? 0 }

  private func line(_ row: [String], _ columns: [Int]) -> String {
    let cells = columns.map { column in
      let blanks = String(repeating: " ", count: width(of: column) - row[column].count)
      return column == 0 ? row[column] + blanks : blanks + row[column]
    }
    return (Self.indent + cells.joined(separator: Self.gap)).withoutBlanksBehind
  }
}

extension String {
  fileprivate var withoutBlanksBehind: String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }
}
