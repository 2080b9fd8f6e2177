import TensorIODrawing

/// The part of Markdown that cards are written in: headings, paragraphs, lists, tables, code, links
/// and emphasis.
///
/// HTML is text here like any other. Nothing recurses, and no more than ``limit`` of a card is read.
struct MarkdownDocument {
  /// So many bytes of a text are shown.
  static let maxBytes = 32 << 10

  private var lines: ArraySlice<String>

  init(_ text: String) {
    let start = String(decoding: text.utf8.prefix(Self.maxBytes), as: UTF8.self)
    lines =
      start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)[...]
  }

  /// The page, whose headings are below those of the page it stands in.
  var markup: Markup {
    var page = self
    var blocks: [Markup] = []
    while let block = page.next() { blocks.append(block) }
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

  /// The lines up to one that is empty or begins something else.
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
  /// What stands between two fences, as it is.
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
      var whole = text
      while let more = lines.first, !more.isBlank, MarkdownLine(more).isText {
        whole += " " + more.trimmed
        lines.removeFirst()
      }
      items.append(.element("li", [:], MarkdownInline(whole).markup))
    }
    return isNumbered ? .element("ol", [:], items) : .element("ul", [:], items)
  }

  /// Rows of cells; the first are the titles where a row of dashes follows.
  private mutating func table() -> Markup {
    var rows: [[String]] = []
    while let line = lines.first, case .tableRow(let cells) = MarkdownLine(line) {
      rows.append(cells)
      lines.removeFirst()
    }
    let hasTitles = rows.count > 1 && rows[1].allSatisfy(\.isDashes)
    let head = hasTitles ? Markup.element("thead", [:], Self.row(rows[0], isTitle: true)) : .empty
    let body = rows.dropFirst(hasTitles ? 2 : 0).map { Self.row($0, isTitle: false) }
    return .element(
      "div", ["class": "scroll", "tabindex": "0"],
      .element("table", [:], head, .element("tbody", [:], body)))
  }

  private static func row(_ cells: [String], isTitle: Bool) -> Markup {
    .element(
      "tr", [:],
      cells.map { cell in
        let text = MarkdownInline(cell).markup
        return isTitle ? .element("th", ["scope": "col"], text) : .element("td", [:], text)
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

/// What a line of Markdown begins.
enum MarkdownLine: Equatable {
  /// Code, or its end.
  case fence
  /// A heading of a depth from 1.
  case heading(Int, String)
  /// A line across the page.
  case thematicBreak
  /// An item of a list, numbered or not.
  case listItem(isNumbered: Bool, String)
  /// A row of a table.
  case tableRow([String])
  /// A paragraph.
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

/// The text of a paragraph: code, emphasis, links and words.
///
/// What has begun and does not end is words. Looking for ends costs no more than reading the text once.
struct MarkdownInline {
  private let bytes: [UInt8]
  private let canNest: Bool
  /// Where marks were found, so that nothing is looked for twice.
  private var delimiterPositions: [Delimiter: Int] = [:]

  /// What ends a piece.
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

  /// What stands in emphasis and in links has words and code, and no more of either.
  private init(_ bytes: [UInt8], canNest: Bool) {
    (self.bytes, self.canNest) = (bytes, canNest)
  }

  var markup: Markup {
    var text = self
    return text.read()
  }

  private mutating func read() -> Markup {
    var pieces: [Markup] = []
    var words: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), isPunctuation(index + 1) {
        words.append(bytes[index + 1])
        index += 2
      } else if let (piece, end) = span(at: index) {
        pieces += [Markup(String(decoding: words, as: UTF8.self)), piece]
        (words, index) = ([], end)
      } else {
        words.append(bytes[index])
        index += 1
      }
    }
    return Markup(pieces + [Markup(String(decoding: words, as: UTF8.self))])
  }

  private mutating func span(at index: Int) -> (Markup, end: Int)? {
    switch bytes[index] {
    case UInt8(ascii: "`"): code(at: index)
    case UInt8(ascii: "*") where canNest: emphasis(at: index, .asterisk, .doubleAsterisk)
    case UInt8(ascii: "_") where canNest && isWordStart(index): emphasis(at: index, .underscore, .doubleUnderscore)
    case UInt8(ascii: "!") where follows(UInt8(ascii: "["), index + 1):
      link(at: index + 1, isPicture: true)
    case UInt8(ascii: "[") where canNest: link(at: index, isPicture: false)
    default: nil
    }
  }
}

// MARK: Pieces

extension MarkdownInline {
  private mutating func code(at index: Int) -> (Markup, Int)? {
    guard let end = position(of: .code, from: index + 1) else { return nil }
    return (.element("code", [:], Markup(text(index + 1..<end))), end + 1)
  }

  private mutating func emphasis(at index: Int, _ one: Delimiter, _ two: Delimiter) -> (Markup, Int)? {
    let isStrong = follows(bytes[index], index + 1)
    let mark = isStrong ? two : one
    let length = mark.rawValue.utf8.count
    let start = index + length
    guard start < bytes.count, bytes[start] > UInt8(ascii: " "),
      let end = position(of: mark, from: start), end > start
    else { return nil }
    let inside = inside(start..<end)
    return (isStrong ? .element("strong", [:], inside) : .element("em", [:], inside), end + length)
  }

  /// A link to the web; any other is its words, and so is a picture.
  private mutating func link(at index: Int, isPicture: Bool) -> (Markup, Int)? {
    guard let middle = position(of: .linkDestination, from: index + 1),
      let end = position(of: .closingParenthesis, from: middle + 2)
    else { return nil }
    let words = inside(index + 1..<middle)
    let address = text(middle + 2..<end)
    let isSafe = ["https://", "http://", "mailto:"].contains { address.lowercased().hasPrefix($0) }
    guard isSafe, !isPicture else { return (words, end + 1) }
    return (.element("a", ["href": address, "rel": "noreferrer"], words), end + 1)
  }

  private func inside(_ range: Range<Int>) -> Markup {
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
    let letter = Unicode.Scalar(bytes[index])
    return letter.isASCII && letter.value > 0x20 && letter.properties.isAlphabetic == false
      && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
  }

  private func isWordStart(_ index: Int) -> Bool {
    index == 0 || bytes[index - 1] <= UInt8(ascii: " ") || isPunctuation(index - 1)
  }

  /// Where a mark comes next; `nil` where it does not.
  private mutating func position(of mark: Delimiter, from start: Int) -> Int? {
    let known = delimiterPositions[mark] ?? -1
    let place = known >= start ? known : search(Array(mark.rawValue.utf8), from: start)
    delimiterPositions[mark] = place
    return place < bytes.count ? place : nil
  }

  private func search(_ mark: [UInt8], from start: Int) -> Int {
    var place = start
    while place + mark.count <= bytes.count {
      if bytes[place] == mark[0], mark.count == 1 || bytes[place + 1] == mark[1] { return place }
      place += 1
    }
    return bytes.count
  }
}
