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
  static func read(_ bytes: [UInt8]) throws(XMLFault) -> XMLElement {
    var reader = XMLReader(bytes)
    return try reader.document()
  }

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  private mutating func document() throws(XMLFault) -> XMLElement {
    guard bytes.count <= XMLLimits.bytes else {
      throw fault(.xmlTooLarge("bytes", limit: XMLLimits.bytes))
    }
    while offset < bytes.count {
      if bytes[offset] == .less { try markup() } else { try text() }
    }
    guard open.isEmpty else { throw fault(.xmlEnd) }
    guard let root else { throw fault(.xmlNoElement) }
    return root
  }

  private func fault(_ fault: DataFault) -> XMLFault {
    XMLFault(fault: fault, line: line, column: offset - lineStart + 1)
  }
}

// MARK: Markup

extension XMLReader {
  private mutating func markup() throws(XMLFault) {
    if follows("<!--") { return try pass(until: "-->") }
    if follows("<?") { return try pass(until: "?>") }
    if follows("<![CDATA[") { return try literalText() }
    if follows("<!") { throw fault(.xmlDeclaration) }
    if follows("</") { return try endTag() }
    try startTag()
  }

  private mutating func startTag() throws(XMLFault) {
    guard root == nil else { throw fault(.xmlSecondElement) }
    guard open.count < XMLLimits.depth else {
      throw fault(.xmlTooLarge("elements within each other", limit: XMLLimits.depth))
    }
    elementCount += 1
    guard elementCount <= XMLLimits.elements else {
      throw fault(.xmlTooLarge("elements", limit: XMLLimits.elements))
    }
    let (line, column) = (line, offset - lineStart + 1)
    advance()
    let element = XMLElement(name: try name(), line: line, column: column)
    open.append(element)
    texts.append([])
    while try attribute() {}
    if follows("/>") {
      advance(2)
      try close()
    } else {
      try expect(.greater, or: .xmlTag)
    }
  }

  private mutating func endTag() throws(XMLFault) {
    let start = self
    advance(2)
    let name = try name()
    passBlanks()
    guard let last = open.last else { throw start.fault(.xmlUnopened) }
    guard last.name == name else {
      throw start.fault(.xmlMismatch(expected: last.name, found: name))
    }
    try expect(.greater, or: .xmlTag)
    try close()
  }

  private mutating func close() throws(XMLFault) {
    guard var element = open.popLast(), let content = texts.popLast() else { return }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw XMLFault(fault: .notUTF8, line: element.line, column: element.column)
    }
    element.text = text.trimmed
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  /// Passes over an attribute and the blanks before it; false when there is none.
  private mutating func attribute() throws(XMLFault) -> Bool {
    let hasBlank = passBlanks()
    guard offset < bytes.count else { throw fault(.xmlEnd) }
    guard bytes[offset] != .greater, bytes[offset] != .slash else { return false }
    guard hasBlank else { throw fault(.xmlTag) }
    _ = try name()
    passBlanks()
    try expect(UInt8(ascii: "="), or: .xmlAttribute)
    passBlanks()
    guard offset < bytes.count, let quote = [.quote, .apostrophe].first(where: follows) else {
      throw fault(.xmlAttribute)
    }
    advance()
    while offset < bytes.count, bytes[offset] != quote {
      guard bytes[offset] != .less else { throw fault(.xmlAttribute) }
      advance()
    }
    try expect(quote, or: .xmlEnd)
    return true
  }

  private mutating func name() throws(XMLFault) -> String {
    let start = offset
    while offset < bytes.count, bytes[offset].isNameLetter { advance() }
    guard offset > start else { throw fault(offset < bytes.count ? .xmlTag : .xmlEnd) }
    guard offset - start <= XMLLimits.nameBytes else {
      throw fault(.xmlTooLarge("bytes of a name", limit: XMLLimits.nameBytes))
    }
    guard let name = String(validating: bytes[start..<offset], as: UTF8.self) else {
      throw fault(.notUTF8)
    }
    return name
  }
}

// MARK: Text

extension XMLReader {
  private mutating func text() throws(XMLFault) {
    guard !open.isEmpty else {
      guard bytes[offset].isBlank else { throw fault(.xmlOutside) }
      return advance()
    }
    guard bytes[offset] == .ampersand else {
      texts[texts.count - 1].append(bytes[offset])
      return advance()
    }
    guard let entity = Self.entities.first(where: { follows($0.name) }) else {
      throw fault(.xmlReference)
    }
    texts[texts.count - 1].append(entity.byte)
    advance(entity.name.utf8.count)
  }

  private static let entities: [(name: String, byte: UInt8)] = [
    ("&amp;", .ampersand), ("&lt;", .less), ("&gt;", .greater), ("&quot;", .quote),
    ("&apos;", .apostrophe),
  ]

  /// What stands between `<![CDATA[` and `]]>`, as it is.
  private mutating func literalText() throws(XMLFault) {
    guard !open.isEmpty else { throw fault(.xmlOutside) }
    advance(9)
    let start = offset
    try pass(until: "]]>")
    texts[texts.count - 1] += bytes[start..<offset - 3]
  }

  private mutating func pass(until end: String) throws(XMLFault) {
    while offset < bytes.count, !follows(end) { advance() }
    guard offset < bytes.count else { throw fault(.xmlEnd) }
    advance(end.utf8.count)
  }
}

// MARK: Bytes

extension XMLReader {
  private func follows(_ byte: UInt8) -> Bool { offset < bytes.count && bytes[offset] == byte }

  private func follows(_ text: String) -> Bool {
    bytes[offset...].starts(with: text.utf8)
  }

  private mutating func expect(_ byte: UInt8, or fault: DataFault) throws(XMLFault) {
    guard offset < bytes.count else { throw self.fault(.xmlEnd) }
    guard bytes[offset] == byte else { throw self.fault(fault) }
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
  private mutating func passBlanks() -> Bool {
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
