/// Parses a text into the entries of a tape, in one pass and without recursion.
struct JSONParser {
  let bytes: [UInt8]
  let limits: JSONLimits
  let dialect: JSONDialect
  private let isCanceled: @Sendable () -> Bool

  var offset = 0
  var entries: [JSONEntry] = []
  var extensionUses: [JSONExtensionUse] = []
  /// The open arrays and objects, outermost first.
  var open: [OpenContainer] = []
  /// Whether the current offset is inside an element or member, not between two.
  var isInsideValue = true

  private var keys = JSONKeyTable()

  /// An open array or object.
  struct OpenContainer {
    let entry: Int
    let isObject: Bool
    /// The number of complete elements or members.
    var count = 0
    /// The entry of the last key.
    var key = 0

    var closingByte: UInt8 { isObject ? ASCII.closeBrace : ASCII.closeBracket }
  }

  init(
    _ bytes: [UInt8], limits: JSONLimits, dialect: JSONDialect,
    isCanceled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.bytes = bytes
    self.limits = limits
    self.dialect = dialect
    self.isCanceled = isCanceled
  }

  /// The byte at the current offset, or `nil` at the end.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Parses the text.
  mutating func parse() throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw tooLarge() }
    try skipByteOrderMark()
    try skipWhitespace()
    guard next != nil else { throw error(.emptyDocument, expected: "a JSON value") }
    try readValue()
    var nextCheck = JSONTape.checkInterval
    while !open.isEmpty {
      try readItem()
      guard entries.count >= nextCheck else { continue }
      nextCheck = entries.count + JSONTape.checkInterval
      guard !isCanceled() else { throw error(.tooLarge, expected: "a text that is read in time") }
    }
    try skipEpilogue()
  }

  /// Reads the next element or member of the innermost container, or its end.
  private mutating func readItem() throws(JSONError) {
    let container = open[open.count - 1]
    try skipWhitespace()
    if next == container.closingByte { return closeContainer() }
    if container.count > 0 {
      try readComma()
      try skipWhitespace()
      if next == container.closingByte { return closeContainer() }
    }
    if container.isObject { try readKey() } else { readNumberRow() }
    try readValue()
  }

  /// Reads a scalar, or the beginning of an array or object.
  private mutating func readValue() throws(JSONError) {
    isInsideValue = true
    switch next {
    case ASCII.openBrace: try openContainer(isObject: true)
    case ASCII.openBracket: try openContainer(isObject: false)
    case ASCII.quote:
      try readString()
      finishValue()
    case .some(let byte) where byte == ASCII.minus || byte.isDigit:
      try readNumber()
      finishValue()
    default:
      try readLiteral()
      finishValue()
    }
  }

  private mutating func finishValue() {
    isInsideValue = false
    if !open.isEmpty { open[open.count - 1].count += 1 }
  }

  private mutating func openContainer(isObject: Bool) throws(JSONError) {
    guard open.count < limits.depth else {
      throw error(
        .tooDeep, expected: "at most \(limits.depth) nested arrays and objects",
        found: "another")
    }
    open.append(OpenContainer(entry: entries.count, isObject: isObject))
    entries.append(
      JSONEntry(isObject ? .object : .array, start: offset, end: offset, next: entries.count))
    offset += 1
    isInsideValue = false
  }

  private mutating func closeContainer() {
    let container = open.removeLast()
    offset += 1
    entries[container.entry].close(end: offset, next: entries.count, count: container.count)
    finishValue()
  }

  private mutating func readComma() throws(JSONError) {
    let comma = offset
    let container = open[open.count - 1]
    guard next == ASCII.comma else {
      throw unexpectedByte(container.isObject ? "',' or '}'" : "',' or ']'")
    }
    offset += 1
    try skipWhitespace()
    guard next == container.closingByte else { return }
    guard dialect.contains(.trailingCommas) else {
      offset = comma
      throw error(.trailingComma, expected: "no comma before the end", found: "','")
    }
    extensionUses.append(JSONExtensionUse(kind: .trailingCommas, offset: comma))
  }

  private mutating func readKey() throws(JSONError) {
    guard next == ASCII.quote else { throw unexpectedByte("a key in double quotes") }
    let key = entries.count
    let start = offset
    let last = open.count - 1
    try readString()
    open[last].key = key
    isInsideValue = true
    if let earlier = keys.insert(key, of: open[last].entry, in: entries, over: bytes) {
      offset = start
      throw duplicateKey(of: entries[earlier])
    }
    try skipWhitespace()
    guard next == ASCII.colon else { throw unexpectedByte("':' after the key") }
    offset += 1
    try skipWhitespace()
  }
}

extension JSONParser {
  /// Skips a byte order mark if the dialect allows it.
  mutating func skipByteOrderMark() throws(JSONError) {
    let length = ByteOrderMark.length(in: bytes)
    guard length > 0 else { return }
    guard dialect.contains(.byteOrderMark) else {
      throw error(.byteOrderMark, expected: "a JSON value", found: "a byte order mark")
    }
    extensionUses.append(JSONExtensionUse(kind: .byteOrderMark, offset: 0))
    offset = length
  }

  /// Skips whitespace, and comments if the dialect allows them.
  mutating func skipWhitespace() throws(JSONError) {
    while let byte = next {
      switch byte {
      case ASCII.space, ASCII.tab, ASCII.lineFeed, ASCII.carriageReturn: offset += 1
      case ASCII.slash where isAtComment && dialect.contains(.comments): try skipComment()
      default: return
      }
    }
  }

  /// Checks that only whitespace or allowed syntax follows the value.
  mutating func skipEpilogue() throws(JSONError) {
    try skipWhitespace()
    if dialect.contains(.trailingEllipsis), bytes[offset...].starts(with: [dot, dot, dot]) {
      extensionUses.append(JSONExtensionUse(kind: .trailingEllipsis, offset: offset))
      offset += 3
      try skipWhitespace()
    }
    guard next == nil else {
      throw error(
        isAtComment ? .comment : .trailingContent, expected: "nothing after the value")
    }
  }

  /// Whether a comment begins at the current offset.
  var isAtComment: Bool {
    guard next == ASCII.slash, offset + 1 < bytes.count else { return false }
    return bytes[offset + 1] == ASCII.slash || bytes[offset + 1] == ASCII.star
  }

  private mutating func skipComment() throws(JSONError) {
    extensionUses.append(JSONExtensionUse(kind: .comments, offset: offset))
    let start = offset
    let isLine = bytes[offset + 1] == ASCII.slash
    offset += 2
    while let byte = next {
      offset += 1
      if isLine, byte == ASCII.lineFeed { return }
      if !isLine, byte == ASCII.star, next == ASCII.slash {
        offset += 1
        return
      }
    }
    guard isLine else {
      offset = start
      throw error(.unexpectedEnd, expected: "*/ at the end of the comment", found: "end of text")
    }
  }

  private var dot: UInt8 { ASCII.dot }
}

extension JSONParser {
  /// Returns an error at the current offset.
  func error(
    _ code: JSONError.Code, expected: String, found: String? = nil, suggestion: String? = nil
  ) -> JSONError {
    JSONError(
      code, at: JSONPosition(of: offset, in: bytes), pointer: pointer, expected: expected,
      found: found ?? nextByteDescription, suggestion: suggestion)
  }

  /// Returns the error for an unexpected byte or end of text.
  func unexpectedByte(_ expected: String) -> JSONError {
    guard let byte = next else {
      return error(.unexpectedEnd, expected: expected, suggestion: unclosedContainer)
    }
    if isAtComment {
      return error(
        .comment, expected: expected, found: "a comment", suggestion: "remove the comment")
    }
    let isSingleQuote = byte == UInt8(ascii: "'")
    return error(
      .unexpectedCharacter, expected: expected,
      suggestion: isSingleQuote ? "enclose strings in double quotes" : nil)
  }

  /// Returns the error for a duplicate key.
  func duplicateKey(of earlier: JSONEntry) -> JSONError {
    let first = JSONPosition(of: earlier.range.lowerBound, in: bytes)
    return error(
      .duplicateKey, expected: "unique keys",
      found: "duplicate " + excerpt(of: entries[entries.count - 1]),
      suggestion: "the key is first used at \(first); remove one of the two")
  }

  /// Returns the error for a text that exceeds the size limit.
  func tooLarge() -> JSONError {
    error(
      .tooLarge, expected: "at most \(limits.bytes) bytes", found: "\(bytes.count) bytes")
  }

  /// The value being parsed, as a JSON Pointer.
  private var pointer: String {
    let inside = isInsideValue ? open[...] : open.dropLast()
    return inside.map { container in
      let token =
        container.isObject
        ? JSONPointer.escape(JSONString(entries[container.key], in: bytes).string)
        : String(container.count)
      return "/" + token
    }.joined()
  }

  /// The description of the innermost open container, if any.
  private var unclosedContainer: String? {
    guard let container = open.last else { return nil }
    let start = entries[container.entry].range.lowerBound
    let position = JSONPosition(of: start, in: bytes)
    return "the \(container.isObject ? "object" : "array") begins at \(position)"
  }

  private var nextByteDescription: String {
    guard let byte = next else { return "end of text" }
    guard byte > ASCII.space, byte != 0x7F else { return "byte \(hexadecimal(byte))" }
    return "'\(excerpt(1))'"
  }

  /// Returns characters from an offset, for messages.
  func excerpt(_ length: Int, from start: Int? = nil) -> String {
    let start = start ?? offset
    let longest = length * 4  // bytes of a character
    let end = min(start + longest, bytes.count)
    return printable(bytes[start..<end], length)
  }

  /// Returns the beginning of an entry's text, for messages.
  private func excerpt(of entry: JSONEntry) -> String {
    printable(bytes[entry.range].prefix(160), 40)
  }

  /// Returns a text with NUL replaced, because messages are written as JSON, which rejects it.
  private func printable(_ bytes: ArraySlice<UInt8>, _ length: Int) -> String {
    let text = String(decoding: bytes, as: UTF8.self).prefix(length)
    return String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 })
  }

  /// Returns a byte in hexadecimal notation.
  func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }
}
