/// Reads the XML of annotations: elements and text.
///
/// Attributes, comments and processing instructions are passed over. What makes XML dangerous is not
/// read: no declarations, no entities but the five that every text has. Nothing recurses, and the
/// work is in proportion to the text.
struct XMLReader {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var lineStart = 0
  private var open: [XMLElement] = []
  /// The bytes of the texts directly in the open elements.
  private var texts: [[UInt8]] = []
  private var root: XMLElement?
  private var elementCount = 0

  /// The outermost element of a text.
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

  private func error(_ fault: DataDiagnostic) -> XMLParseError {
    XMLParseError(diagnostic: fault, line: line, column: offset - lineStart + 1)
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
      throw error(.xmlTooLarge("elements within each other", limit: XMLLimits.maxDepth))
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
    let start = self
    advance(2)
    let name = try name()
    skipWhitespace()
    guard let last = open.last else { throw start.error(.xmlUnopened) }
    guard last.name == name else {
      throw start.error(.xmlMismatch(expected: last.name, found: name))
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

  /// Passes over an attribute and the blanks before it; false when there is none.
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
      throw error(.xmlTooLarge("bytes of a name", limit: XMLLimits.maxNameBytes))
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

  /// What stands between `<![CDATA[` and `]]>`, as it is.
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

  private mutating func expect(_ byte: UInt8, or fault: DataDiagnostic) throws(XMLParseError) {
    guard offset < bytes.count else { throw self.error(.xmlEnd) }
    guard bytes[offset] == byte else { throw self.error(fault) }
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

  /// Letters, digits, and whatever is no ASCII: more than XML allows, and nothing that ends a name.
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

/// An element of an XML text, and where it begins.
struct XMLElement: Sendable, Equatable {
  let name: String
  /// From 1.
  let line: Int
  /// From 1, counted in bytes.
  let column: Int
  /// The text directly in it, without the blanks around it.
  var text = ""
  var children: [XMLElement] = []

  /// The elements of a name directly in it.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// The first element of a name directly in it.
  subscript(name: String) -> XMLElement? { children.first { $0.name == name } }
}

/// How large an XML text may be.
enum XMLLimits {
  /// The bytes of a text: an annotated picture has a few thousand.
  static let maxBytes = 4 << 20
  /// How many elements may be open at once.
  static let maxDepth = 32
  /// How many elements there may be.
  static let maxElements = 100_000
  /// The bytes that a name may have.
  static let maxNameBytes = 256
}

/// Why a text is not the XML that is read here, and where.
struct XMLParseError: Error, Equatable {
  let diagnostic: DataDiagnostic
  let line: Int
  let column: Int
}

extension DataDiagnostic {
  private static func xml(_ message: String) -> DataDiagnostic {
    DataDiagnostic(code: "invalid-xml", message: message)
  }

  static let xmlEnd = xml("The text ends in the middle of something.")
  static let xmlNoElement = xml("There is no element.")
  static let xmlSecondElement = xml("Something follows the outermost element.")
  static let xmlOutside = xml("There is text outside of the outermost element.")
  static let xmlTag = xml("This is not how a tag is written.")
  static let xmlAttribute = xml("This is not how an attribute is written.")
  static let xmlUnopened = xml("Nothing that is open ends here.")

  static func xmlMismatch(expected: String, found: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-xml", expected: "</\(expected)>", found: "</\(found)>",
      message: "Another element ends here than was begun last.")
  }

  static let xmlReference = DataDiagnostic(
    code: "unknown-entity", expected: "&amp; &lt; &gt; &quot; or &apos;",
    message: "No other entity is read.")

  static let xmlDeclaration = DataDiagnostic(
    code: "unsupported-xml", message: "Declarations of types and entities are not read.",
    suggestion: "remove the <!…>")

  static func xmlTooLarge(_ what: String, limit: Int) -> DataDiagnostic {
    DataDiagnostic(code: "too-large", expected: "at most \(limit) \(what)", message: "This is too much.")
  }
}
