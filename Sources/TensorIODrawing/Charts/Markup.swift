/// A well-formed fragment of HTML or SVG.
///
/// All text is escaped.
///
/// There is no way to create markup from a string of markup: the content of elements and attributes
/// is always treated as text.
package struct Markup: Sendable, Hashable {
  /// The source of the fragment.
  package let source: String

  private init(source: String) { self.source = source }

  /// Creates escaped text.
  package init(_ text: String) { source = text.escaped }

  /// Concatenates fragments.
  package init(_ pieces: [Markup]) { source = pieces.map(\.source).joined() }

  /// The empty fragment.
  package static let empty = Markup(source: "")

  /// Returns an element.
  ///
  /// Attributes whose value is `nil` are omitted.
  package static func element(
    _ name: StaticString, _ attributes: KeyValuePairs<StaticString, String?> = [:],
    _ content: Markup...
  ) -> Markup {
    element(name, attributes, content)
  }

  /// Returns an element with an array of fragments as its content.
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

  /// Returns a `style` element with constant rules.
  package static func style(_ rules: StaticString) -> Markup {
    Markup(source: "<style>\(rules)</style>")
  }

  /// Void elements of HTML, and elements of SVG that are usually empty.
  private static let voidElements: Set<String> = [
    "meta", "img", "br", "hr", "rect", "line", "circle", "path",
  ]
}

extension Markup: ExpressibleByStringInterpolation {
  /// Creates escaped text from a literal.
  package init(stringLiteral text: String) { self.init(text) }
}

extension String {
  /// The text, escaped for content and attributes.
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
  /// Whether the byte is, or begins, a scalar that ``Unicode/Scalar/replacement`` may replace.
  fileprivate var mayNeedEscape: Bool {
    switch self {
    case ..<0x20, 0x22, 0x26, 0x27, 0x3C, 0x3E, 0x7F, 0xC2, 0xEF: true
    default: false
    }
  }
}

extension Unicode.Scalar {
  /// The replacement of a scalar that is special, changed by parsers or not allowed in markup; `nil` if there is none.
  fileprivate var replacement: StaticString? {
    switch self {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&apos;"
    case "\t", "\n": nil
    case "\r": "&#13;"  // parsers replace a plain one by a line feed
    case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
    default: nil
    }
  }
}

extension StaticString {
  fileprivate var utf8: String.UTF8View { description.utf8 }
}
