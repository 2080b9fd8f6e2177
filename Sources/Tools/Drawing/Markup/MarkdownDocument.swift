import TensorIOSystem

/// A model card: the subset of Markdown that cards use, as a tree.
///
/// The blocks are headings, paragraphs, lists, tables, code, quotations and thematic breaks; the spans
/// are code, emphasis and links. HTML is text. Parsing takes linear time and memory, does not recurse
/// deeper than the tree, and only the first ``maxBytes`` are read.
package struct MarkdownDocument: Sendable, Hashable {
  /// The maximum number of bytes that are parsed.
  package static let maxBytes = 32 << 10

  /// A block of a document.
  package enum Block: Sendable, Hashable {
    /// A heading with its level, from 1 to 6.
    case heading(Int, [Span])
    /// A paragraph.
    case paragraph([Span])
    /// A list with the text of each item.
    case list(isNumbered: Bool, items: [[Span]])
    /// A table with the cells of each row.
    case table(header: [[Span]]?, rows: [[[Span]]])
    /// A fenced code block.
    case code(String)
    /// A quotation, which contains no other quotations.
    case quotation([Block])
    /// A thematic break.
    case thematicBreak
  }

  /// A part of a line of text.
  package enum Span: Sendable, Hashable {
    /// Plain text.
    case text(String)
    /// Code.
    case code(String)
    /// Text with strong emphasis, which contains no other emphasis and no links.
    case strong([Span])
    /// Text with emphasis, which contains no other emphasis and no links.
    case emphasis([Span])
    /// A link with its text and its destination, which can be any text.
    case link([Span], destination: String)
  }

  /// The blocks in order.
  package let blocks: [Block]

  /// Parses a text.
  package init(_ text: String) {
    let lines = Self.beginning(of: text).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var parser = BlockParser(lines: lines.map(String.init)[...])
    blocks = parser.blocks()
  }

  /// Parses one line of text, such as the details of a description.
  package static func spans(_ text: String) -> [Span] {
    SpanParser.spans(beginning(of: text))
  }

  /// Returns the part of a text that is parsed, without NUL characters, which CommonMark replaces.
  private static func beginning(of text: String) -> String {
    let bytes = text.utf8.prefix(maxBytes)
    guard bytes.contains(0) else { return String(decoding: bytes, as: UTF8.self) }
    let parts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\u{FFFD}")
  }
}

// MARK: Blocks

/// A parser of the blocks of a document.
private struct BlockParser {
  var lines: ArraySlice<String>

  mutating func blocks() -> [MarkdownDocument.Block] {
    var blocks: [MarkdownDocument.Block] = []
    while let block = next() { blocks.append(block) }
    return blocks
  }

  private mutating func next() -> MarkdownDocument.Block? {
    while lines.first?.isBlank == true { lines.removeFirst() }
    guard let line = lines.first else { return nil }
    switch kind(of: line) {
    case .fence: return code()
    case .heading(let level, let text):
      lines.removeFirst()
      return .heading(level, SpanParser.spans(text))
    case .thematicBreak:
      lines.removeFirst()
      return .thematicBreak
    case .listItem: return list()
    case .tableRow: return table()
    case .quotation: return quotation()
    case .text: return .paragraph(SpanParser.spans(paragraph()))
    }
  }

  /// Returns the kind of block that the first line starts.
  private func kind(of line: String) -> MarkdownLine {
    let kind = MarkdownLine(line)
    // A row without outer pipes is followed by a row of dashes.
    guard kind == .text, line.utf8.contains(UInt8(ascii: "|")), lines.count > 1,
      MarkdownLine.isDelimiterRow(lines[lines.startIndex + 1])
    else { return kind }
    return .tableRow(MarkdownLine.cells(line.trimmed))
  }

  /// Consumes the lines up to a blank line or another kind of block.
  private mutating func paragraph() -> String {
    var text: [String] = []
    while let line = lines.first, !line.isBlank, text.isEmpty || kind(of: line) == .text {
      text.append(line.trimmed)
      lines.removeFirst()
    }
    return text.joined(separator: " ")
  }

  /// Consumes a fenced code block.
  private mutating func code() -> MarkdownDocument.Block {
    lines.removeFirst()
    var text: [String] = []
    while let line = lines.popFirst(), MarkdownLine(line) != .fence { text.append(line) }
    return .code(text.joined(separator: "\n"))
  }

  private mutating func list() -> MarkdownDocument.Block {
    var items: [[MarkdownDocument.Span]] = []
    var isNumbered = false
    while let line = lines.first, case .listItem(let number, let text) = MarkdownLine(line) {
      lines.removeFirst()
      isNumbered = items.isEmpty ? number : isNumbered
      var itemText = [text]
      while let continuation = lines.first, !continuation.isBlank, kind(of: continuation) == .text {
        itemText.append(continuation.trimmed)
        lines.removeFirst()
      }
      items.append(SpanParser.spans(itemText.joined(separator: " ")))
    }
    return .list(isNumbered: isNumbered, items: items)
  }

  /// Consumes a table; the first row is a header if a row of dashes follows.
  private mutating func table() -> MarkdownDocument.Block {
    var rows: [[String]] = []
    var hasOpenRows = false
    while let line = lines.first, !line.isBlank {
      if case .tableRow(let cells) = MarkdownLine(line) {
        rows.append(cells)
      } else if hasOpenRows || rows.isEmpty, line.utf8.contains(UInt8(ascii: "|")) {
        hasOpenRows = true
        rows.append(MarkdownLine.cells(line.trimmed))
      } else if rows.count == 1, MarkdownLine.isDelimiterRow(line) {
        rows.append(MarkdownLine.cells(line.trimmed))
      } else {
        break
      }
      lines.removeFirst()
    }
    let hasHeader = rows.count > 1 && rows[1].allSatisfy(\.isDashes)
    let spans = rows.map { $0.map(SpanParser.spans) }
    return .table(
      header: hasHeader ? spans[0] : nil, rows: Array(spans.dropFirst(hasHeader ? 2 : 0)))
  }

  /// Consumes a quotation, whose lines do not begin with markers any more.
  private mutating func quotation() -> MarkdownDocument.Block {
    var text: [String] = []
    while let line = lines.first, case .quotation(let quoted) = MarkdownLine(line) {
      text.append(quoted)
      lines.removeFirst()
    }
    var parser = BlockParser(lines: text[...])
    return .quotation(parser.blocks())
  }
}

/// The kind of block that a line starts.
private enum MarkdownLine: Equatable {
  /// The start or end of a code block.
  case fence
  /// A heading with its level, from 1.
  case heading(Int, String)
  /// A thematic break.
  case thematicBreak
  /// A list item.
  case listItem(isNumbered: Bool, String)
  /// A table row.
  case tableRow([String])
  /// A line of a quotation, without its markers.
  case quotation(String)
  /// Text of a paragraph.
  case text

  init(_ line: String) {
    let text = line.trimmed
    self =
      if text.hasPrefix("```") {
        .fence
      } else if text.hasPrefix(">") {
        .quotation(Self.unquoted(text))
      } else if let heading = Self.heading(text) {
        heading
      } else if Self.isThematicBreak(text) {
        .thematicBreak
      } else if let item = Self.item(text) {
        item
      } else if text.count > 1, text.hasPrefix("|"), text.hasSuffix("|") {
        .tableRow(Self.cells(text))
      } else {
        .text
      }
  }

  /// Returns a line without the marker of a quotation, or without any if there are several.
  private static func unquoted(_ text: String) -> String {
    let rest = text.dropFirst(text.hasPrefix("> ") ? 2 : 1)
    let inner = rest.drop(while: \.isWhitespace)
    return String(inner.first == ">" ? inner.drop { $0 == ">" || $0.isWhitespace } : rest)
  }

  private static func isThematicBreak(_ text: String) -> Bool {
    guard let mark = text.first, "-*_".contains(mark) else { return false }
    return text.allSatisfy { $0 == mark || $0.isWhitespace } && text.count { $0 == mark } >= 3
  }

  private static func heading(_ text: String) -> MarkdownLine? {
    let level = text.prefix { $0 == "#" }.count
    let rest = text.dropFirst(level)
    guard (1...6).contains(level), rest.hasPrefix(" ") else { return nil }
    return .heading(level, rest.trimmed)
  }

  private static func item(_ text: String) -> MarkdownLine? {
    if ["- ", "* ", "+ "].contains(where: text.hasPrefix) {
      return .listItem(isNumbered: false, text.dropFirst(2).trimmed)
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let rest = text.dropFirst(digits.count)
    guard (1...3).contains(digits.count), rest.hasPrefix(". ") || rest.hasPrefix(") ") else {
      return nil
    }
    return .listItem(isNumbered: true, rest.dropFirst(2).trimmed)
  }

  /// Returns the cells of a row, with or without outer pipes.
  static func cells(_ text: String) -> [String] {
    var cells: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "|"), !isEscaped {
        cells.append([])
      } else {
        cells[cells.count - 1].append(byte)
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    if cells.count > 1, cells[0].isEmpty { cells.removeFirst() }
    if cells.count > 1, cells[cells.count - 1].isEmpty { cells.removeLast() }
    return cells.map { String(decoding: $0, as: UTF8.self).trimmed }
  }

  /// Whether a line consists of the dashes below the header of a table.
  static func isDelimiterRow(_ line: String) -> Bool {
    let text = line.trimmed
    guard text.utf8.allSatisfy({ "|-: ".utf8.contains($0) }), text.contains("|") else {
      return false
    }
    return cells(text).allSatisfy(\.isDashes)
  }
}

extension String {
  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }

  fileprivate var isDashes: Bool { contains("-") && allSatisfy { "-: ".contains($0) } }
}

// MARK: Spans

/// A parser of the spans of a text.
///
/// Unterminated spans are plain text. Parsing takes linear time, because the positions of closing
/// delimiters are cached.
private struct SpanParser {
  private typealias Span = MarkdownDocument.Span

  private let bytes: [UInt8]
  private let canNest: Bool
  /// The next position of each delimiter, so that no text is searched twice.
  private var delimiterPositions: [Delimiter: Int] = [:]

  /// A closing delimiter.
  private enum Delimiter: String {
    case code = "`"
    case asterisk = "*"
    case doubleAsterisk = "**"
    case underscore = "_"
    case doubleUnderscore = "__"
    case linkDestination = "]("
    case closingParenthesis = ")"
  }

  /// Returns the spans of a text.
  static func spans(_ text: String) -> [MarkdownDocument.Span] {
    var parser = SpanParser(Array(text.utf8), canNest: true)
    return parser.spans()
  }

  /// Creates a parser; text inside emphasis and links may contain code, but no nested spans.
  private init(_ bytes: [UInt8], canNest: Bool) {
    (self.bytes, self.canNest) = (bytes, canNest)
  }

  private mutating func spans() -> [Span] {
    var spans: [Span] = []
    var plainText: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), isPunctuation(index + 1) {
        plainText.append(bytes[index + 1])
        index += 2
      } else if let (content, end) = span(at: index) {
        if !plainText.isEmpty { spans.append(.text(String(decoding: plainText, as: UTF8.self))) }
        spans += content
        (plainText, index) = ([], end)
      } else {
        plainText.append(bytes[index])
        index += 1
      }
    }
    if !plainText.isEmpty { spans.append(.text(String(decoding: plainText, as: UTF8.self))) }
    return spans
  }

  private mutating func span(at index: Int) -> ([Span], end: Int)? {
    switch bytes[index] {
    case UInt8(ascii: "`"): code(at: index)
    case UInt8(ascii: "*") where canNest: emphasis(at: index, .asterisk, .doubleAsterisk)
    case UInt8(ascii: "_") where canNest && isWordStart(index):
      emphasis(at: index, .underscore, .doubleUnderscore)
    case UInt8(ascii: "!") where follows(UInt8(ascii: "["), index + 1):
      link(at: index + 1, isImage: true)
    case UInt8(ascii: "[") where canNest: link(at: index, isImage: false)
    default: nil
    }
  }

  private mutating func code(at index: Int) -> ([Span], Int)? {
    guard let end = position(of: .code, from: index + 1) else { return nil }
    return ([.code(text(index + 1..<end))], end + 1)
  }

  private mutating func emphasis(
    at index: Int, _ single: Delimiter, _ double: Delimiter
  ) -> ([Span], Int)? {
    let isStrong = follows(bytes[index], index + 1)
    let delimiter = isStrong ? double : single
    let length = delimiter.rawValue.utf8.count
    let start = index + length
    guard start < bytes.count, bytes[start] > UInt8(ascii: " "),
      let end = position(of: delimiter, from: start), end > start
    else { return nil }
    let content = content(start..<end)
    return ([isStrong ? .strong(content) : .emphasis(content)], end + length)
  }

  /// Returns a link, or the text of an image.
  private mutating func link(at index: Int, isImage: Bool) -> ([Span], Int)? {
    guard let middle = position(of: .linkDestination, from: index + 1),
      let end = position(of: .closingParenthesis, from: middle + 2)
    else { return nil }
    let content = content(index + 1..<middle)
    guard !isImage else { return (content, end + 1) }
    // A title may follow the destination.
    let destination = text(middle + 2..<end).trimmed.prefix { !$0.isWhitespace }
    return ([.link(content, destination: String(destination))], end + 1)
  }

  private func content(_ range: Range<Int>) -> [Span] {
    var parser = SpanParser(Array(bytes[range]), canNest: false)
    return parser.spans()
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

// MARK: Bytes

extension SpanParser {
  private func follows(_ byte: UInt8, _ index: Int) -> Bool {
    index < bytes.count && bytes[index] == byte
  }

  private func isPunctuation(_ index: Int) -> Bool {
    guard index < bytes.count else { return false }
    let scalar = Unicode.Scalar(bytes[index])
    return scalar.isASCII && scalar.value > 0x20 && !scalar.properties.isAlphabetic
      && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
  }

  private func isWordStart(_ index: Int) -> Bool {
    index == 0 || bytes[index - 1] <= UInt8(ascii: " ") || isPunctuation(index - 1)
  }

  /// Returns the next position of a delimiter; `nil` if there is none.
  private mutating func position(of delimiter: Delimiter, from start: Int) -> Int? {
    let cached = delimiterPositions[delimiter] ?? -1
    let position = cached >= start ? cached : search(Array(delimiter.rawValue.utf8), from: start)
    delimiterPositions[delimiter] = position
    return position < bytes.count ? position : nil
  }

  private func search(_ delimiter: [UInt8], from start: Int) -> Int {
    var position = start
    while position + delimiter.count <= bytes.count {
      if bytes[position] == delimiter[0],
        delimiter.count == 1 || bytes[position + 1] == delimiter[1]
      {
        return position
      }
      position += 1
    }
    return bytes.count
  }
}
