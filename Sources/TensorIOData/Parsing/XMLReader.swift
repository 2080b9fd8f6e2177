/// Reads the elements and text of annotation XML.
///
/// Attributes, comments and processing instructions are skipped. Document type and entity
/// declarations are rejected, and only the five predefined entities are supported, which rules out
/// entity expansion attacks. Parsing does not recurse and takes time linear in the length of the
/// text.
struct XMLReader {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var lineStart = 0
  private var open: [XMLElement] = []
  /// The text bytes directly inside each open element.
  private var texts: [[UInt8]] = []
  private var root: XMLElement?
  private var elementCount = 0

  /// Parses a text and returns its root element.
  static func read(_ bytes: [UInt8]) throws(XMLParseError) -> XMLElement {
    var reader = XMLReader(bytes)
    return try reader.document()
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  private mutating func document() throws(XMLParseError) -> XMLElement {
    guard bytes.count <= XMLLimits.maxBytes else {
      throw error(.xmlTooLarge("bytes", limit: XMLLimits.maxBytes))
    }
    while offset < bytes.count {
      if bytes[offset] == .less { try markup() } else { try text() }
    }
    guard open.isEmpty else { throw error(.xmlEnd) }
    guard let root else { throw error(.xmlNoElement) }
    return root
  }

  private func error(_ diagnostic: DataDiagnostic) -> XMLParseError {
    XMLParseError(diagnostic: diagnostic, line: line, column: offset - lineStart + 1)
  }
}

// MARK: Markup

extension XMLReader {
  private mutating func markup() throws(XMLParseError) {
    if isNext("<!--") { return try skip(through: "-->") }
    if isNext("<?") { return try skip(through: "?>") }
    if isNext("<![CDATA[") { return try cdata() }
    if isNext("<!") { throw error(.xmlDeclaration) }
    if isNext("</") { return try endTag() }
    try startTag()
  }

  private mutating func startTag() throws(XMLParseError) {
    guard root == nil else { throw error(.xmlSecondElement) }
    guard open.count < XMLLimits.maxDepth else {
      throw error(.xmlTooLarge("nested elements", limit: XMLLimits.maxDepth))
    }
    elementCount += 1
    guard elementCount <= XMLLimits.maxElements else {
      throw error(.xmlTooLarge("elements", limit: XMLLimits.maxElements))
    }
    let (line, column) = (line, offset - lineStart + 1)
    advance()
    let element = XMLElement(name: try name(), line: line, column: column)
    open.append(element)
    texts.append([])
    while try attribute() {}
    if isNext("/>") {
      advance(2)
      try close()
    } else {
      try expect(.greater, or: .xmlTag)
    }
  }

  private mutating func endTag() throws(XMLParseError) {
    // Saves only the position: a copy of `self` would make `close()` copy the element tree.
    let (line, column) = (line, offset - lineStart + 1)
    advance(2)
    let name = try name()
    skipWhitespace()
    guard let last = open.last?.name else {
      throw XMLParseError(diagnostic: .xmlUnopened, line: line, column: column)
    }
    guard last == name else {
      throw XMLParseError(
        diagnostic: .xmlMismatch(expected: last, found: name), line: line, column: column)
    }
    try expect(.greater, or: .xmlTag)
    try close()
  }

  private mutating func close() throws(XMLParseError) {
    guard var element = open.popLast(), let content = texts.popLast() else { return }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw XMLParseError(diagnostic: .notUTF8, line: element.line, column: element.column)
    }
    element.text = text.trimmed
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  /// Skips an attribute and the whitespace before it; returns whether there was one.
  private mutating func attribute() throws(XMLParseError) -> Bool {
    let hasBlank = skipWhitespace()
    guard offset < bytes.count else { throw error(.xmlEnd) }
    guard bytes[offset] != .greater, bytes[offset] != .slash else { return false }
    guard hasBlank else { throw error(.xmlTag) }
    _ = try name()
    skipWhitespace()
    try expect(UInt8(ascii: "="), or: .xmlAttribute)
    skipWhitespace()
    guard offset < bytes.count, let quote = [.quote, .apostrophe].first(where: isNext) else {
      throw error(.xmlAttribute)
    }
    advance()
    while offset < bytes.count, bytes[offset] != quote {
      guard bytes[offset] != .less else { throw error(.xmlAttribute) }
      advance()
    }
    try expect(quote, or: .xmlEnd)
    return true
  }

  private mutating func name() throws(XMLParseError) -> String {
    let start = offset
    while offset < bytes.count, bytes[offset].isNameLetter { advance() }
    guard offset > start else { throw error(offset < bytes.count ? .xmlTag : .xmlEnd) }
    guard offset - start <= XMLLimits.maxNameBytes else {
      throw error(.xmlTooLarge("bytes in a name", limit: XMLLimits.maxNameBytes))
    }
    guard let name = String(validating: bytes[start..<offset], as: UTF8.self) else {
      throw error(.notUTF8)
    }
    return name
  }
}

// MARK: Text

extension XMLReader {
  private mutating func text() throws(XMLParseError) {
    guard !open.isEmpty else {
      guard bytes[offset].isBlank else { throw error(.xmlOutside) }
      return advance()
    }
    guard bytes[offset] == .ampersand else {
      texts[texts.count - 1].append(bytes[offset])
      return advance()
    }
    guard let entity = Self.entities.first(where: { isNext($0.name) }) else {
      throw error(.xmlReference)
    }
    texts[texts.count - 1].append(entity.byte)
    advance(entity.name.utf8.count)
  }

  private static let entities: [(name: String, byte: UInt8)] = [
    ("&amp;", .ampersand), ("&lt;", .less), ("&gt;", .greater), ("&quot;", .quote),
    ("&apos;", .apostrophe),
  ]

  /// Consumes a CDATA section, whose text is taken literally.
  private mutating func cdata() throws(XMLParseError) {
    guard !open.isEmpty else { throw error(.xmlOutside) }
    advance(9)
    let start = offset
    try skip(through: "]]>")
    texts[texts.count - 1] += bytes[start..<offset - 3]
  }

  private mutating func skip(through end: String) throws(XMLParseError) {
    while offset < bytes.count, !isNext(end) { advance() }
    guard offset < bytes.count else { throw error(.xmlEnd) }
    advance(end.utf8.count)
  }
}

// MARK: Bytes

extension XMLReader {
  private func isNext(_ byte: UInt8) -> Bool { offset < bytes.count && bytes[offset] == byte }

  private func isNext(_ text: String) -> Bool {
    bytes[offset...].starts(with: text.utf8)
  }

  private mutating func expect(
    _ byte: UInt8, or diagnostic: DataDiagnostic
  ) throws(XMLParseError) {
    guard offset < bytes.count else { throw self.error(.xmlEnd) }
    guard bytes[offset] == byte else { throw self.error(diagnostic) }
    advance()
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<min(count, bytes.count - offset) {
      if bytes[offset] == UInt8(ascii: "\n") {
        line += 1
        lineStart = offset + 1
      }
      offset += 1
    }
  }

  @discardableResult
  private mutating func skipWhitespace() -> Bool {
    let start = offset
    while offset < bytes.count, bytes[offset].isBlank { advance() }
    return offset > start
  }
}

extension UInt8 {
  fileprivate static let less = UInt8(ascii: "<")
  fileprivate static let greater = UInt8(ascii: ">")
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let ampersand = UInt8(ascii: "&")
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let apostrophe = UInt8(ascii: "'")

  fileprivate var isBlank: Bool { [0x20, 0x09, 0x0A, 0x0D].contains(self) }

  /// Accepts more than XML allows: letters, digits, some punctuation and all non-ASCII bytes.
  fileprivate var isNameLetter: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...0xFF:
      true
    default:
      [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":")]
        .contains(self)
    }
  }
}

/// An XML element and its location.
struct XMLElement: Sendable, Equatable {
  let name: String
  /// The line of the start tag, from 1.
  let line: Int
  /// The column of the start tag, from 1, counted in bytes.
  let column: Int
  /// The text directly inside the element, without leading and trailing whitespace.
  var text = ""
  var children: [XMLElement] = []

  /// Returns the child elements with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Returns the first child element with a name.
  subscript(name: String) -> XMLElement? { children.first { $0.name == name } }
}

/// Limits on XML texts.
enum XMLLimits {
  /// The maximum size in bytes; a typical annotation has a few thousand.
  static let maxBytes = 4 << 20
  /// The maximum nesting depth.
  static let maxDepth = 32
  /// The maximum number of elements.
  static let maxElements = 100_000
  /// The maximum length of a name, in bytes.
  static let maxNameBytes = 256
}

/// A syntax error or an unsupported construct, with its location.
struct XMLParseError: Error, Equatable {
  let diagnostic: DataDiagnostic
  let line: Int
  let column: Int
}

extension DataDiagnostic {
  private static func xml(_ message: String) -> DataDiagnostic {
    DataDiagnostic(code: "invalid-xml", message: message)
  }

  static let xmlEnd = xml("unexpected end of text")
  static let xmlNoElement = xml("no root element")
  static let xmlSecondElement = xml("more than one root element")
  static let xmlOutside = xml("text outside the root element")
  static let xmlTag = xml("malformed tag")
  static let xmlAttribute = xml("malformed attribute")
  static let xmlUnopened = xml("end tag without a start tag")

  static func xmlMismatch(expected: String, found: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-xml", expected: "</\(expected)>", found: "</\(found)>",
      message: "mismatched end tag")
  }

  static let xmlReference = DataDiagnostic(
    code: "unknown-entity", expected: "&amp; &lt; &gt; &quot; or &apos;",
    message: "unsupported entity")

  static let xmlDeclaration = DataDiagnostic(
    code: "unsupported-xml", message: "document type and entity declarations are not supported",
    suggestion: "remove the <!…> declaration")

  static func xmlTooLarge(_ what: String, limit: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "too-large", expected: "at most \(limit) \(what)", message: "XML exceeds a limit")
  }
}
