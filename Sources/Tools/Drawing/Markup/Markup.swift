/// A fragment of HTML or SVG as a tree of elements and text.
///
/// Markup cannot be created from a string of markup: the content of elements and attributes is
/// always treated as text. ``source`` escapes it; `JSONWriter.value(_:)` writes the tree for pages
/// that create elements themselves.
package struct Markup: Sendable {
  /// A node of the tree.
  indirect enum Node: Sendable {
    case text(String)
    case element(Element)
    /// A `style` element with constant rules.
    case style(StaticString)
  }

  /// An element with its attributes and children.
  struct Element: Sendable {
    let name: StaticString
    let attributes: [(key: StaticString, value: String)]
    let children: [Node]
  }

  /// The nodes in order.
  let nodes: [Node]

  private init(nodes: [Node]) { self.nodes = nodes }

  /// Creates text.
  package init(_ text: String) { nodes = text.isEmpty ? [] : [.text(text)] }

  /// Concatenates fragments.
  package init(_ pieces: [Markup]) { nodes = pieces.flatMap(\.nodes) }

  /// The empty fragment.
  package static let empty = Markup(nodes: [])

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
    let attributes = attributes.compactMap { key, value in value.map { (key: key, value: $0) } }
    let children = content.flatMap(\.nodes)
    return Markup(
      nodes: [.element(Element(name: name, attributes: attributes, children: children))])
  }

  /// Returns a `style` element with constant rules.
  package static func style(_ rules: StaticString) -> Markup { Markup(nodes: [.style(rules)]) }
}

extension Markup: ExpressibleByStringInterpolation {
  /// Creates text from a literal.
  package init(stringLiteral text: String) { self.init(text) }
}

// MARK: HTML

extension Markup {
  /// The source of the fragment as HTML or SVG.
  package var source: String {
    var source = ""
    for node in nodes { node.append(to: &source) }
    return source
  }
}

extension Markup.Node {
  /// Appends the source of the node and its children; the depth of a tree is that of the code that
  /// creates it.
  fileprivate func append(to source: inout String) {
    switch self {
    case .text(let text): source += text.escaped
    case .style(let rules): source += "<style>\(rules)</style>"
    case .element(let element):
      source += "<\(element.name)"
      for (key, value) in element.attributes { source += " \(key)=\"\(value.escaped)\"" }
      if element.children.isEmpty, Self.voidElements.contains("\(element.name)") {
        source += "/>"
        return
      }
      source += ">"
      for child in element.children { child.append(to: &source) }
      source += "</\(element.name)>"
    }
  }

  /// Void elements of HTML, and elements of SVG that are usually empty.
  private static let voidElements: Set<String> = [
    "meta", "img", "br", "hr", "rect", "line", "circle", "path",
  ]
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
