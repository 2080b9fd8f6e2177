import TensorIOSystem

/// A cell of a table and its location.
struct CSVCell: Equatable {
  let text: String
  /// The line of the cell's first character, from 1.
  let line: Int
  /// The column of the cell's first character, from 1, counted in bytes.
  let column: Int
  /// The quoting or encoding error of the cell.
  let diagnostic: DataDiagnostic?
}

/// The position of a row in a table.
struct RowPosition: Equatable {
  let offset: Int
  let line: Int
}

/// Reads the rows of an RFC 4180 table one at a time.
///
/// Lines end with LF, CR or CRLF; empty lines are skipped. An invalid cell carries its diagnostic,
/// so that reading continues.
struct CSVReader {
  private let bytes: [UInt8]
  private let separator: UInt8
  private var offset: Int
  private var line: Int
  private var lineStart: Int

  /// Creates a reader at the start of a table, after a byte order mark.
  init(_ bytes: [UInt8], separator: UInt8) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let offset = bytes.starts(with: mark) ? mark.count : 0
    self.init(bytes, separator: separator, from: RowPosition(offset: offset, line: 1))
  }

  /// Creates a reader at the start of a row.
  init(_ bytes: [UInt8], separator: UInt8, from position: RowPosition) {
    self.bytes = bytes
    self.separator = separator
    (offset, line, lineStart) = (position.offset, position.line, position.offset)
  }

  /// Returns the next row and its position; `nil` at the end.
  mutating func next() -> (position: RowPosition, cells: [CSVCell])? {
    while consumeLineEnd() {}
    guard offset < bytes.count else { return nil }
    let position = RowPosition(offset: offset, line: line)
    var cells = [cell()]
    while offset < bytes.count, bytes[offset] == separator {
      offset += 1
      cells.append(cell())
    }
    _ = consumeLineEnd()
    return (position, cells)
  }

  /// Consumes a line end; returns whether there was one.
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
    let (content, diagnostic) = isQuoted ? quoted() : plain()
    let text = String(validating: content, as: UTF8.self)
    return CSVCell(
      text: text ?? "", line: line, column: column,
      diagnostic: text == nil ? .notUTF8 : diagnostic)
  }

  private mutating func plain() -> ([UInt8], DataDiagnostic?) {
    let content = untilSeparator()
    return (content, content.contains(.quote) ? .unescapedQuote : nil)
  }

  /// Consumes a quoted cell; two consecutive quotes inside it stand for one.
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

/// Writes the rows of an RFC 4180 table.
package struct CSVWriter {
  /// How cells are written.
  package enum CellStyle: Sendable {
    /// Unchanged, so that reading the table gives the same text.
    case raw
    /// For display in spreadsheets and terminals: cells that a spreadsheet would run as a formula
    /// begin with an apostrophe, and control and direction characters are shown as code points.
    case display
  }

  /// The rows written so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  private let style: CellStyle

  /// Creates a table without rows.
  package init(_ style: CellStyle = .raw) { self.style = style }

  /// Appends a row.
  package mutating func append(row cells: [String]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { bytes.append(Self.comma) }
      append(style == .raw ? cell : cell.spreadsheetText)
    }
    bytes.append(Self.lineFeed)
  }

  /// Works on bytes, because a quote followed by a combining character is not equal to a quote in a
  /// `String`.
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

extension String {
  /// The text as a cell that a spreadsheet displays and does not run.
  ///
  /// Numbers, which may begin with a sign, are unchanged.
  package var spreadsheetText: String {
    let text = sanitizedForTerminal
    guard let first = text.utf8.first, Self.formulaStarts.contains(first), Double(text) == nil
    else { return text }
    return "'" + text
  }

  private static let formulaStarts = Array("=+-@\t\r\n".utf8)
}
