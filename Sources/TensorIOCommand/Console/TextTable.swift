/// Rows of figures below a header, as people read them.
struct TextTable {
  private let rows: [[String]]
  private let words: Int

  /// A table whose first so many columns hold words, which begin where figures end.
  init(_ header: [String], _ rows: [[String]], words: Int = 0) {
    self.rows = [header] + rows
    self.words = words
  }

  /// The table, a line a row.
  var lines: [String] {
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.indices.map { column in
        let space = String(repeating: " ", count: widths[column] - row[column].count)
        return column < words ? row[column] + space : space + row[column]
      }
      return "  " + cells.joined(separator: "  ")
    }
  }
}
