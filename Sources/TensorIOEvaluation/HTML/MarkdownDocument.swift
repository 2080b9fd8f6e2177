import TensorIODrawing

/// A renderer for the subset of Markdown used in model cards: headings, paragraphs, lists, tables,
/// code, links and emphasis.
///
/// HTML is escaped. Rendering does not recurse, and only the first ``maxBytes`` are read.
struct MarkdownDocument {
  /// The maximum number of bytes that are rendered.
  static let maxBytes = 32 << 10

  private var lines: ArraySlice<String>

  init(_ text: String) {
    let start = String(decoding: text.utf8.prefix(Self.maxBytes), as: UTF8.self)
    lines =
      start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)[...]
  }

  /// The document as HTML, with headings from level 3.
  var markup: Markup {
    var document = self
    var blocks: [Markup] = []
    while let block = document.next() { blocks.append(block) }
    return .element("div", ["class": "markdown"], blocks)
  }

  private mutating func next() -> Markup? {
    while lines.first?.isBlank == true { lines.removeFirst() }
    guard let line = lines.first else { return nil }
    switch MarkdownLine(line) {
    case .fence: return code()
    case .heading(let depth, let text):
      lines.removeFirst()
      return Self.heading(depth, MarkdownInline(text).markup)
    case .thematicBreak:
      lines.removeFirst()
      return .element("hr")
    case .listItem: return list()
    case .tableRow: return table()
    case .text: return .element("p", [:], MarkdownInline(paragraph()).markup)
    }
  }

  private static func heading(_ depth: Int, _ text: Markup) -> Markup {
    switch depth {
    case 1: .element("h3", [:], text)
    case 2: .element("h4", [:], text)
    default: .element("h5", [:], text)
    }
  }

  /// Consumes the lines up to a blank line or another kind of block.
  private mutating func paragraph() -> String {
    var text: [String] = []
    while let line = lines.first, !line.isBlank, text.isEmpty || MarkdownLine(line).isText {
      text.append(line.trimmed)
      lines.removeFirst()
    }
    return text.joined(separator: " ")
  }
}

// MARK: Blocks

extension MarkdownDocument {
  /// Consumes a fenced code block.
  private mutating func code() -> Markup {
    lines.removeFirst()
    var text: [String] = []
    while let line = lines.popFirst(), !MarkdownLine(line).isFence { text.append(line) }
    return .element(
      "pre", ["tabindex": "0"], .element("code", [:], Markup(text.joined(separator: "\n"))))
  }

  private mutating func list() -> Markup {
    var items: [Markup] = []
    var isNumbered = false
    while let line = lines.first, case .listItem(let number, let text) = MarkdownLine(line) {
      lines.removeFirst()
      isNumbered = items.isEmpty ? number : isNumbered
      var itemText = text
      while let continuation = lines.first, !continuation.isBlank, MarkdownLine(continuation).isText
      {
        itemText += " " + continuation.trimmed
        lines.removeFirst()
      }
      items.append(.element("li", [:], MarkdownInline(itemText).markup))
    }
    return isNumbered ? .element("ol", [:], items) : .element("ul", [:], items)
  }

  /// Consumes a table; the first row is a header if a row of dashes follows.
  private mutating func table() -> Markup {
    var rows: [[String]] = []
    while let line = lines.first, case .tableRow(let cells) = MarkdownLine(line) {
      rows.append(cells)
      lines.removeFirst()
    }
    let hasHeader = rows.count > 1 && rows[1].allSatisfy(\.isDashes)
    let head = hasHeader ? Markup.element("thead", [:], Self.row(rows[0], isHeader: true)) : .empty
    let body = rows.dropFirst(hasHeader ? 2 : 0).map { Self.row($0, isHeader: false) }
    return .element(
      "div", ["class": "scroll", "tabindex": "0"],
      .element("table", [:], head, .element("tbody", [:], body)))
  }

  private static func row(_ cells: [String], isHeader: Bool) -> Markup {
    .element(
      "tr", [:],
      cells.map { cell in
        let text = MarkdownInline(cell).markup
        return isHeader ? .element("th", ["scope": "col"], text) : .element("td", [:], text)
      })
  }
}

extension String {
  var trimmed: String {
    let body = drop(while: \.isWhitespace)
    guard let last = body.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(body[...last])
  }

  fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }

  fileprivate var isDashes: Bool { contains("-") && allSatisfy { "-: ".contains($0) } }
}

/// The kind of block that a line starts.
enum MarkdownLine: Equatable {
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
  /// Text of a paragraph.
  case text

  init(_ line: String) {
    let text = line.trimmed
    self =
      if text.hasPrefix("```") {
        .fence
      } else if let heading = Self.heading(text) {
        heading
      } else if text.count >= 3, ["-", "*", "_"].contains(where: { text.allSatisfy($0.contains) }) {
        .thematicBreak
      } else if let item = Self.item(text) {
        item
      } else if text.count > 1, text.hasPrefix("|"), text.hasSuffix("|") {
        .tableRow(Self.cells(text))
      } else {
        .text
      }
  }

  var isText: Bool { self == .text }
  var isFence: Bool { self == .fence }

  private static func heading(_ text: String) -> MarkdownLine? {
    let depth = text.prefix { $0 == "#" }.count
    let rest = text.dropFirst(depth)
    guard (1...6).contains(depth), rest.hasPrefix(" ") else { return nil }
    return .heading(depth, String(rest).trimmed)
  }

  private static func item(_ text: String) -> MarkdownLine? {
    if ["- ", "* ", "+ "].contains(where: text.hasPrefix) {
      return .listItem(isNumbered: false, String(text.dropFirst(2)).trimmed)
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let rest = text.dropFirst(digits.count)
    guard (1...3).contains(digits.count), rest.hasPrefix(". ") else { return nil }
    return .listItem(isNumbered: true, String(rest.dropFirst(2)).trimmed)
  }

  private static func cells(_ text: String) -> [String] {
    text.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
      .map { String($0).trimmed }
  }
}

/// A renderer for inline Markdown: code, emphasis and links.
///
/// Unterminated spans are plain text. Rendering takes linear time, because the positions of closing
/// delimiters are cached.
struct MarkdownInline {
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

  init(_ text: String) { self.init(Array(text.utf8), canNest: true) }

  /// Creates a renderer; text inside emphasis and links may contain code, but no nested spans.
  private init(_ bytes: [UInt8], canNest: Bool) {
    (self.bytes, self.canNest) = (bytes, canNest)
  }

  var markup: Markup {
    var renderer = self
    return renderer.render()
  }

  private mutating func render() -> Markup {
    var spans: [Markup] = []
    var plainText: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), isPunctuation(index + 1) {
        plainText.append(bytes[index + 1])
        index += 2
      } else if let (span, end) = span(at: index) {
        spans += [Markup(String(decoding: plainText, as: UTF8.self)), span]
        (plainText, index) = ([], end)
      } else {
        plainText.append(bytes[index])
        index += 1
      }
    }
    return Markup(spans + [Markup(String(decoding: plainText, as: UTF8.self))])
  }

  private mutating func span(at index: Int) -> (Markup, end: Int)? {
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
}

// MARK: Spans

extension MarkdownInline {
  private mutating func code(at index: Int) -> (Markup, Int)? {
    guard let end = position(of: .code, from: index + 1) else { return nil }
    return (.element("code", [:], Markup(text(index + 1..<end))), end + 1)
  }

  private mutating func emphasis(
    at index: Int, _ single: Delimiter, _ double: Delimiter
  ) -> (Markup, Int)? {
    let isStrong = follows(bytes[index], index + 1)
    let delimiter = isStrong ? double : single
    let length = delimiter.rawValue.utf8.count
    let start = index + length
    guard start < bytes.count, bytes[start] > UInt8(ascii: " "),
      let end = position(of: delimiter, from: start), end > start
    else { return nil }
    let content = content(start..<end)
    return (
      isStrong ? .element("strong", [:], content) : .element("em", [:], content), end + length
    )
  }

  /// Returns a link if its scheme is safe; other links and images are rendered as their text.
  private mutating func link(at index: Int, isImage: Bool) -> (Markup, Int)? {
    guard let middle = position(of: .linkDestination, from: index + 1),
      let end = position(of: .closingParenthesis, from: middle + 2)
    else { return nil }
    let content = content(index + 1..<middle)
    let url = text(middle + 2..<end)
    let isSafe = ["https://", "http://", "mailto:"].contains { url.lowercased().hasPrefix($0) }
    guard isSafe, !isImage else { return (content, end + 1) }
    return (.element("a", ["href": url, "rel": "noreferrer"], content), end + 1)
  }

  private func content(_ range: Range<Int>) -> Markup {
    MarkdownInline(Array(bytes[range]), canNest: false).markup
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

// MARK: Bytes

extension MarkdownInline {
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
