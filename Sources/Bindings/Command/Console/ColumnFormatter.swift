/// Formats rows as aligned columns, omitting columns that are empty in all rows.
enum ColumnFormatter {
  /// Returns one line per row.
  static func lines(_ rows: [[String]]) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
    }
    return rows.map { row in
      let cells = zip(row, widths).filter { $1 > 0 }.map { text, width in
        text + String(repeating: " ", count: width - text.count)
      }
      return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
  }
}
