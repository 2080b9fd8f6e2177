import TensorIOSystem

/// Formats rows as aligned columns, omitting columns that are empty in all rows.
enum ColumnFormatter {
  private static let gap = "  "
  /// The least width of a column that is narrowed.
  private static let minWidth = 8

  /// Returns one line per row, or several where cells are wrapped to fit a width.
  ///
  /// - Parameters:
  ///   - rows: The cells of the rows.
  ///   - width: The number of columns of the terminal; `nil` for any width.
  /// - Returns: The lines.
  static func lines(_ rows: [[String]], width: Int? = nil) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    var widths = (0..<count).map { column in
      rows.map { column < $0.count ? $0[column].displayWidth : 0 }.max() ?? 0
    }
    if let width { narrow(&widths, to: width) }
    return rows.flatMap { row in
      let cells = zip(row, widths).filter { $1 > 0 }.map { (parts(of: $0, width: $1), $1) }
      return (0..<max(1, cells.map(\.0.count).max() ?? 1)).map { line in
        let parts = cells.map { parts, width in
          let part = line < parts.count ? parts[line] : ""
          return part + String(repeating: " ", count: max(0, width - part.displayWidth))
        }
        return String(parts.joined(separator: gap).reversed().drop { $0 == " " }.reversed())
      }
    }
  }

  /// Narrows the widest columns until the table fits.
  private static func narrow(_ widths: inout [Int], to width: Int) {
    let gaps = gap.count * max(0, widths.count { $0 > 0 } - 1)
    while widths.reduce(gaps, +) > width, let widest = widths.max(), widest > minWidth,
      let column = widths.firstIndex(of: widest)
    {
      widths[column] -= 1
    }
  }

  /// Returns a cell as lines of a width, broken at spaces and otherwise anywhere.
  private static func parts(of cell: String, width: Int) -> [String] {
    guard cell.displayWidth > width else { return [cell] }
    var (parts, current) = ([String](), "")
    for word in cell.split(separator: " ", omittingEmptySubsequences: false) {
      let joined = current.isEmpty ? String(word) : "\(current) \(word)"
      guard joined.displayWidth > width else {
        current = joined
        continue
      }
      if !current.isEmpty { parts.append(current) }
      current = ""
      for character in word {
        if (current + String(character)).displayWidth > width {
          parts.append(current)
          current = ""
        }
        current.append(character)
      }
    }
    return current.isEmpty ? parts : parts + [current]
  }
}
