/// Reads a text into the entries of a tape, in one pass and without recursion.
struct JSONParser {
  let bytes: [UInt8]
  let limits: JSONLimits
  let dialect: JSONDialect

  var offset = 0
  var entries: [JSONEntry] = []
  var liberties: [JSONLiberty] = []
  /// The arrays and objects that have begun and not yet ended, outermost first.
  var open: [OpenContainer] = []
  /// Whether the text at hand belongs to an element or member rather than between two.
  var isInsideValue = true

  private var keys = JSONKeyTable()

  /// An array or object that has begun and not yet ended.
  struct OpenContainer {
    let entry: Int
    let isObject: Bool
    /// How many elements or members are complete.
    var count = 0
    /// The entry of the latest key.
    var key = 0

    var closingByte: UInt8 { isObject ? ASCII.closeBrace : ASCII.closeBracket }
  }

  init(_ bytes: [UInt8], limits: JSONLimits, dialect: JSONDialect) {
    self.bytes = bytes
    self.limits = limits
    self.dialect = dialect
  }

  /// The byte at hand.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Reads the whole text.
  mutating func parse() throws(JSONError) {
    guard bytes.count <= limits.bytes else { throw oversized() }
    try skipByteOrderMark()
    try skipSpace()
    guard next != nil else { throw refusal(.emptyDocument, expected: "a JSON value") }
    try readValue()
    while !open.isEmpty { try readItem() }
    try skipEpilogue()
  }

  /// Reads an element or member of the innermost container, or its end.
  private mutating func readItem() throws(JSONError) {
    let container = open[open.count - 1]
    try skipSpace()
    if next == container.closingByte { return closeContainer() }
    if container.count > 0 {
      try readComma()
      try skipSpace()
      if next == container.closingByte { return closeContainer() }
    }
    if container.isObject { try readKey() } else { readRow() }
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
      try readWord()
      finishValue()
    }
  }

  private mutating func finishValue() {
    isInsideValue = false
    if !open.isEmpty { open[open.count - 1].count += 1 }
  }

  private mutating func openContainer(isObject: Bool) throws(JSONError) {
    guard open.count < limits.depth else {
      throw refusal(
        .tooDeep, expected: "at most \(limits.depth) arrays and objects inside one another",
        found: "one more")
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
      throw unexpected(container.isObject ? "',' or '}'" : "',' or ']'")
    }
    offset += 1
    try skipSpace()
    guard next == container.closingByte else { return }
    guard dialect.contains(.trailingCommas) else {
      offset = comma
      throw refusal(.trailingComma, expected: "no comma before the end", found: "','")
    }
    liberties.append(JSONLiberty(kind: .trailingCommas, offset: comma))
  }

  private mutating func readKey() throws(JSONError) {
    guard next == ASCII.quote else { throw unexpected("a key in double quotes") }
    let key = entries.count
    let start = offset
    let last = open.count - 1
    try readString()
    open[last].key = key
    isInsideValue = true
    if let earlier = keys.insert(key, of: open[last].entry, in: entries, over: bytes) {
      offset = start
      throw duplicate(of: entries[earlier])
    }
    try skipSpace()
    guard next == ASCII.colon else { throw unexpected("':' after the key") }
    offset += 1
    try skipSpace()
  }
}
