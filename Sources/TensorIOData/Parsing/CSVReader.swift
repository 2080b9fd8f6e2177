/// A cell of a table, and where it begins.
struct CSVCell: Equatable {
  let text: String
  /// From 1; a cell with line breaks begins on the first of its lines.
  let line: Int
  /// From 1, counted in bytes.
  let column: Int
  /// What is wrong with the way it is written.
  let diagnostic: DataDiagnostic?
}

/// Where a row of a table begins.
struct RowPosition: Equatable {
  let offset: Int
  let line: Int
}

/// Reads the rows of a table's text one by one, as RFC 4180 writes them.
///
/// A line ends in a line feed, a carriage return or both; lines without anything are passed over.
/// A fault of a cell stands in the cell, so that reading goes on.
struct CSVReader {
  private let bytes: [UInt8]
  private let separator: UInt8
  private var offset: Int
  private var line: Int
  private var lineStart: Int

  /// A reader from the top of a text, behind its byte order mark.
  init(_ bytes: [UInt8], separator: UInt8) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let offset = bytes.starts(with: mark) ? mark.count : 0
    self.init(bytes, separator: separator, from: RowPosition(offset: offset, line: 1))
  }

  /// A reader from the beginning of a row.
  init(_ bytes: [UInt8], separator: UInt8, from place: RowPosition) {
    self.bytes = bytes
    self.separator = separator
    (offset, line, lineStart) = (place.offset, place.line, place.offset)
  }

  /// The next row, and where it begins; `nil` at the end.
  mutating func next() -> (place: RowPosition, cells: [CSVCell])? {
    while consumeLineEnd() {}
    guard offset < bytes.count else { return nil }
    let place = RowPosition(offset: offset, line: line)
    var cells = [cell()]
    while offset < bytes.count, bytes[offset] == separator {
      offset += 1
      cells.append(cell())
    }
    _ = consumeLineEnd()
    return (place, cells)
  }

  /// Passes over the end of a line, if there is one.
  private mutating func consumeLineEnd() -> Bool {
    guard offset < bytes.count, bytes[offset].endsLine else { return false }
    let isPair =
      bytes[offset] == .carriageReturn && offset + 1 < bytes.count
      && bytes[offset + 1] == .lineFeed
    offset += isPair ? 2 : 1
    line += 1
    lineStart = offset
    return true
  }
}

// MARK: Cells

extension CSVReader {
  private mutating func cell() -> CSVCell {
    let (line, column) = (line, offset - lineStart + 1)
    let isQuoted = offset < bytes.count && bytes[offset] == .quote
    let (content, fault) = isQuoted ? quoted() : plain()
    let text = String(validating: content, as: UTF8.self)
    return CSVCell(
      text: text ?? "", line: line, column: column, diagnostic: text == nil ? .notUTF8 : fault)
  }

  private mutating func plain() -> ([UInt8], DataDiagnostic?) {
    let content = untilSeparator()
    return (content, content.contains(.quote) ? .unescapedQuote : nil)
  }

  /// What stands between quotes, of which two in a row mean one.
  private mutating func quoted() -> ([UInt8], DataDiagnostic?) {
    var content: [UInt8] = []
    offset += 1
    while offset < bytes.count {
      if bytes[offset] != .quote {
        consumeCharacter(into: &content)
      } else if offset + 1 < bytes.count, bytes[offset + 1] == .quote {
        content.append(.quote)
        offset += 2
      } else {
        offset += 1
        return (content, untilSeparator().isEmpty ? nil : .textAfterQuote)
      }
    }
    return (content, .unterminatedQuote)
  }

  private mutating func consumeCharacter(into content: inout [UInt8]) {
    let start = offset
    if !consumeLineEnd() { offset += 1 }
    content += bytes[start..<offset]
  }

  private mutating func untilSeparator() -> [UInt8] {
    let start = offset
    while offset < bytes.count, bytes[offset] != separator, !bytes[offset].endsLine { offset += 1 }
    return Array(bytes[start..<offset])
  }
}

extension UInt8 {
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
  fileprivate static let lineFeed = UInt8(ascii: "\n")

  fileprivate var endsLine: Bool { self == .lineFeed || self == .carriageReturn }
}

/// Writes the rows of a table, as RFC 4180 has them.
package struct CSVWriter {
  /// The rows so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []

  /// A table without rows.
  package init() {}

  /// Writes a row.
  package mutating func append(row cells: [String]) {
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
