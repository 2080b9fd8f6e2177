/// Writes the rows of a table, as RFC 4180 has them.
package struct TableWriter {
  /// The rows so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// A table without rows.
  package init() {}

  /// Writes a row.
  package mutating func row(_ cells: [String]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(Self.comma) }
      append(cell)
    }
    bytes.append(Self.lineFeed)
  }

  /// Byte by byte, since a quote with an accent on it is no quote to a `String`.
  private mutating func append(_ cell: String) {
    guard cell.utf8.contains(where: Self.special.contains) else { return bytes += cell.utf8 }
    bytes.append(Self.quote)
    for byte in cell.utf8 {
      bytes.append(byte)
      if byte == Self.quote { bytes.append(Self.quote) }
    }
    bytes.append(Self.quote)
  }

  private static let comma = UInt8(ascii: ",")
  private static let quote = UInt8(ascii: "\"")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let special = [comma, quote, lineFeed, UInt8(ascii: "\r")]
}
