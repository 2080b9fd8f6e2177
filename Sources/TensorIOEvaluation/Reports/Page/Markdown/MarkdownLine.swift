/// What a line of Markdown begins.
enum MarkdownLine: Equatable {
  /// Code, or its end.
  case fence
  /// A heading of a depth from 1.
  case heading(Int, String)
  /// A line across the page.
  case rule
  /// An item of a list, numbered or not.
  case item(isNumbered: Bool, String)
  /// A row of a table.
  case row([String])
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
        .rule
      } else if let item = Self.item(text) {
        item
      } else if text.count > 1, text.hasPrefix("|"), text.hasSuffix("|") {
        .row(Self.cells(text))
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
      return .item(isNumbered: false, String(text.dropFirst(2)).trimmed)
    }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let rest = text.dropFirst(digits.count)
    guard (1...3).contains(digits.count), rest.hasPrefix(". ") else { return nil }
    return .item(isNumbered: true, String(rest.dropFirst(2)).trimmed)
  }

  private static func cells(_ text: String) -> [String] {
    text.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
      .map { String($0).trimmed }
  }
}
