/// A piece of HTML or SVG, well formed, in which every text from outside is escaped.
///
/// There is no way to make one of text that is markup already: what is written between tags or into
/// attributes is text, and stays that.
package struct Markup: Sendable, Hashable {
  /// The piece as it is written.
  package let source: String

  private init(source: String) { self.source = source }

  /// Text, whatever stands in it.
  package init(_ text: String) { source = text.escaped }

  /// Pieces behind each other.
  package init(_ pieces: [Markup]) { source = pieces.map(\.source).joined() }

  /// Nothing.
  package static let empty = Markup(source: "")

  /// An element; attributes without a value are left out.
  package static func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ content: Markup...
  ) -> Markup {
    element(name, attributes, content)
  }

  /// An element with its content in pieces.
  package static func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ content: [Markup]
  ) -> Markup {
    var source = "<\(name)"
    for case (let key, let value?) in attributes { source += " \(key)=\"\(value.escaped)\"" }
    if content.isEmpty, voidElements.contains("\(name)") { return Markup(source: source + "/>") }
    source += ">"
    for piece in content { source += piece.source }
    return Markup(source: source + "</\(name)>")
  }

  /// Style rules, which are the page's own.
  package static func style(_ rules: StaticString) -> Markup { Markup(source: "<style>\(rules)</style>") }

  /// What HTML closes in the tag itself, and what is short in SVG.
  private static let voidElements: Set<String> = [
    "meta", "img", "br", "hr", "rect", "line", "circle", "path",
  ]
}

extension Markup: ExpressibleByStringInterpolation {
  /// A text of the program's own, escaped like any other.
  package init(stringLiteral text: String) { self.init(text) }
}

extension String {
  /// The text as it is written between tags and in attributes.
  fileprivate var escaped: String {
    guard utf8.contains(where: \.mayNeedEscape) else { return self }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      if let replacement = scalar.replacement {
        bytes += replacement.utf8
      } else {
        bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether it is, or begins, something that ``Unicode/Scalar/replacement`` replaces.
  fileprivate var mayNeedEscape: Bool {
    switch self {
    case ..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x7F, 0xC2, 0xEF: true
    default: false
    }
  }
}

extension Unicode.Scalar {
  /// What stands for a letter that means something in markup, or has no place in it.
  fileprivate var replacement: StaticString? {
    switch self {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&apos;"
    case "\t", "\n", "\r": nil
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
    default: nil
    }
  }
}

extension StaticString {
  fileprivate var utf8: String.UTF8View { description.utf8 }
}
