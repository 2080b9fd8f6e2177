/// The part of Markdown that cards are written in: headings, paragraphs, lists, tables, code, links
/// and emphasis.
///
/// HTML is text here like any other. Nothing recurses, and no more than ``limit`` of a card is read.
struct MarkdownPage {
  /// So many bytes of a text are shown.
  static let limit = 32 << 10

  private var lines: ArraySlice<String>

  init(_ text: String) {
    let start = String(decoding: text.utf8.prefix(Self.limit), as: UTF8.self)
    lines =
      start.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)[...]
  }

  /// The page, whose headings are below those of the page it stands in.
  var markup: Markup {
    var page = self
    var blocks: [Markup] = []
    while let block = page.next() { blocks.append(block) }
    return .tag("div", ["class": "markdown"], blocks)
  }

  private mutating func next() -> Markup? {
    while lines.first?.isBlank == true { lines.removeFirst() }
    guard let line = lines.first else { return nil }
    switch MarkdownLine(line) {
    case .fence: return code()
    case .heading(let depth, let text):
      lines.removeFirst()
      return Self.heading(depth, MarkdownText(text).markup)
    case .rule:
      lines.removeFirst()
      return .tag("hr")
    case .item: return list()
    case .row: return table()
    case .text: return .tag("p", [:], MarkdownText(paragraph()).markup)
    }
  }

  private static func heading(_ depth: Int, _ text: Markup) -> Markup {
    switch depth {
    case 1: .tag("h3", [:], text)
    case 2: .tag("h4", [:], text)
    default: .tag("h5", [:], text)
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

extension MarkdownPage {
  /// What stands between two fences, as it is.
  private mutating func code() -> Markup {
    lines.removeFirst()
    var text: [String] = []
    while let line = lines.popFirst(), !MarkdownLine(line).isFence { text.append(line) }
    return .tag(
      "pre", ["tabindex": "0"], .tag("code", [:], Markup(text.joined(separator: "\n"))))
  }

  private mutating func list() -> Markup {
    var items: [Markup] = []
    var isNumbered = false
    while let line = lines.first, case .item(let number, let text) = MarkdownLine(line) {
      lines.removeFirst()
      isNumbered = items.isEmpty ? number : isNumbered
      var whole = text
      while let more = lines.first, !more.isBlank, MarkdownLine(more).isText {
        whole += " " + more.trimmed
        lines.removeFirst()
      }
      items.append(.tag("li", [:], MarkdownText(whole).markup))
    }
    return isNumbered ? .tag("ol", [:], items) : .tag("ul", [:], items)
  }

  /// Rows of cells; the first are the titles where a row of dashes follows.
  private mutating func table() -> Markup {
    var rows: [[String]] = []
    while let line = lines.first, case .row(let cells) = MarkdownLine(line) {
      rows.append(cells)
      lines.removeFirst()
    }
    let hasTitles = rows.count > 1 && rows[1].allSatisfy(\.isDashes)
    let head = hasTitles ? Markup.tag("thead", [:], Self.row(rows[0], isTitle: true)) : .nothing
    let body = rows.dropFirst(hasTitles ? 2 : 0).map { Self.row($0, isTitle: false) }
    return .tag(
      "div", ["class": "scroll", "tabindex": "0"],
      .tag("table", [:], head, .tag("tbody", [:], body)))
  }

  private static func row(_ cells: [String], isTitle: Bool) -> Markup {
    .tag(
      "tr", [:],
      cells.map { cell in
        let text = MarkdownText(cell).markup
        return isTitle ? .tag("th", ["scope": "col"], text) : .tag("td", [:], text)
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
