/// Writes JSON value by value.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { model in
///   model.member("name", "digits")
///   model.key("shape")
///   model.numbers([1, 28, 28])
/// }
/// writer.string  // {"name":"digits","shape":[1,28,28]}
/// ```
///
/// Members keep their order. Numbers have the shortest form that reads back as the same value. NaN
/// and infinities, which JSON cannot represent, are written as `null` and counted.
package struct JSONWriter: Sendable {
  /// The layout of the output.
  package enum Style: Sendable, Hashable {
    /// A single line without spaces.
    case compact
    /// One line for each member and element, except in arrays of numbers.
    case indented
  }

  /// The output so far, in UTF-8.
  package private(set) var bytes: [UInt8] = []
  /// The number of nonfinite numbers written as `null`.
  package internal(set) var nonfiniteCount = 0
  /// The layout of the output.
  package let style: Style

  private var depth = 0
  /// Whether the innermost array or object has an element or member.
  private var hasElements = false
  /// Whether a key has been written but not its value.
  private(set) var isAfterKey = false

  /// Most values are short, and growing from nothing copies them several times.
  private static let initialCapacity = 200

  private static let indentation = Array("  ".utf8)

  /// Creates a writer.
  package init(_ style: Style = .compact) {
    self.style = style
    bytes.reserveCapacity(Self.initialCapacity)
  }

  /// The output so far.
  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object whose members are written by a closure.
  @inlinable
  package mutating func object<Failure: Error>(
    _ members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(UInt8(ascii: "{"))
    try members(&self)
    end(UInt8(ascii: "}"))
  }

  /// Writes an array whose elements are written by a closure.
  @inlinable
  package mutating func array<Failure: Error>(
    _ elements: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(UInt8(ascii: "["))
    try elements(&self)
    end(UInt8(ascii: "]"))
  }

  /// Writes the key of a member.
  ///
  /// The next value written is the member's value.
  package mutating func key(_ name: String) {
    beginValue()
    appendQuoted(name)
    append(ASCII.colon)
    if style == .indented { append(ASCII.space) }
    isAfterKey = true
  }

  /// Writes the comma and line break before a value.
  mutating func beginValue() {
    if isAfterKey {
      isAfterKey = false
      return
    }
    if hasElements { append(ASCII.comma) }
    hasElements = true
    if depth > 0 { breakLine() }
  }

  @usableFromInline
  mutating func begin(_ bracket: UInt8) {
    beginValue()
    append(bracket)
    depth += 1
    hasElements = false
  }

  @usableFromInline
  mutating func end(_ bracket: UInt8) {
    depth -= 1
    if hasElements { breakLine() }
    append(bracket)
    hasElements = true
  }

  private mutating func breakLine() {
    guard style == .indented else { return }
    append(ASCII.lineFeed)
    for _ in 0..<depth { append(JSONWriter.indentation) }
  }

  mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  mutating func append(_ more: some Collection<UInt8>) {
    bytes.append(contentsOf: more)
  }

  mutating func dropLast(_ count: Int) {
    bytes.removeLast(count)
  }

  /// Makes room for as many more bytes.
  ///
  /// The memory at least doubles, so that many small reservations do not copy it each time.
  mutating func reserve(_ count: Int) {
    guard bytes.capacity - bytes.count < count else { return }
    bytes.reserveCapacity(max(bytes.count + count, 2 * bytes.capacity))
  }
}

extension JSONWriter {
  /// Writes a string.
  package mutating func value(_ value: String) {
    beginValue()
    appendQuoted(value)
  }

  /// Writes a boolean.
  package mutating func value(_ value: Bool) {
    beginValue()
    append(value ? JSONWriter.trueLiteral : JSONWriter.falseLiteral)
  }

  /// Writes an integer.
  package mutating func value(_ value: some BinaryInteger) {
    beginValue()
    append(value.description.utf8)
  }

  /// Writes a number, or `null` if it is not finite.
  package mutating func value(_ value: Float) {
    beginValue()
    appendNumber(value)
  }

  /// Writes a number, or `null` if it is not finite.
  package mutating func value(_ value: Double) {
    beginValue()
    appendNumber(value)
  }

  /// Writes `null`.
  package mutating func null() {
    beginValue()
    append(JSONWriter.nullLiteral)
  }

  /// Writes a value given as JSON text.
  package mutating func rawJSON(_ text: some Collection<UInt8>) {
    beginValue()
    append(text)
  }

  /// Writes a member whose value is a string.
  package mutating func member(_ name: String, _ value: String) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is a boolean.
  package mutating func member(_ name: String, _ value: Bool) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is an integer.
  package mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is a number.
  package mutating func member(_ name: String, _ value: Float) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is a number.
  package mutating func member(_ name: String, _ value: Double) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is an object.
  @inlinable
  package mutating func member<Failure: Error>(
    _ name: String, object members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try object(members)
  }

  /// Writes a member whose value is an array.
  @inlinable
  package mutating func member<Failure: Error>(
    _ name: String, array elements: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try array(elements)
  }

  /// Writes a member whose value is an array, whose elements are written by a closure.
  package mutating func member<Element>(
    _ name: String, array elements: some Sequence<Element>,
    _ write: (inout JSONWriter, Element) -> Void
  ) {
    member(name, array: { writer in elements.forEach { write(&writer, $0) } })
  }

  /// Writes a member whose value is an array of objects, whose members are written by a closure.
  package mutating func member<Element>(
    _ name: String, objects elements: some Sequence<Element>,
    _ members: (inout JSONWriter, Element) -> Void
  ) {
    key(name)
    objects(elements, members)
  }

  /// Writes an array of objects, whose members are written by a closure.
  package mutating func objects<Element>(
    _ elements: some Sequence<Element>, _ members: (inout JSONWriter, Element) -> Void
  ) {
    array { writer in
      for element in elements { writer.object { members(&$0, element) } }
    }
  }

  static let nullLiteral = Array("null".utf8)
  private static let trueLiteral = Array("true".utf8)
  private static let falseLiteral = Array("false".utf8)
}

extension JSONWriter {
  /// Appends a quoted and escaped string.
  mutating func appendQuoted(_ text: String) {
    append(ASCII.quote)
    let start = bytes.count
    append(text.utf8)
    // Few strings require escaping, and copying a string at once is faster than byte by byte.
    if needsEscaping(from: start) {
      dropLast(bytes.count - start)
      appendEscaped(text)
    }
    append(ASCII.quote)
  }

  private func needsEscaping(from start: Int) -> Bool {
    for index in start..<bytes.count where JSONWriter.isEscaped(bytes[index]) { return true }
    return false
  }

  private mutating func appendEscaped(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case ASCII.quote, ASCII.backslash: append([ASCII.backslash, byte])
      case ..<ASCII.space: append(JSONWriter.escape(of: byte))
      default: append(byte)
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash
  }

  /// Returns the escape sequence of a control character.
  private static func escape(of byte: UInt8) -> [UInt8] {
    switch byte {
    case ASCII.backspace: Array(#"\b"#.utf8)
    case ASCII.tab: Array(#"\t"#.utf8)
    case ASCII.lineFeed: Array(#"\n"#.utf8)
    case ASCII.formFeed: Array(#"\f"#.utf8)
    case ASCII.carriageReturn: Array(#"\r"#.utf8)
    default: Array((byte < 0x10 ? #"\u000"# : #"\u00"#).utf8) + Array(String(byte, radix: 16).utf8)
    }
  }
}

extension JSONWriter {
  // Other modules call these with a collection that the compiler cannot specialize them for, so each
  // passes on an array of a known type before it loops.

  /// Writes an array of numbers on one line.
  package mutating func numbers(_ values: some Collection<Float>) {
    row(Array(values)) { $0.appendNumber($1) }
  }

  /// Writes an array of numbers on one line.
  package mutating func numbers(_ values: some Collection<Double>) {
    row(Array(values)) { $0.appendNumber($1) }
  }

  /// Writes an array of integers on one line.
  @inlinable
  package mutating func numbers(_ values: some Collection<some BinaryInteger>) {
    // In generic code, a key path would be created for each call.
    row(values.map { $0.description })
  }

  /// Writes an array of numbers given as JSON text.
  @usableFromInline
  mutating func row(_ texts: [String]) {
    row(texts) { $0.append($1.utf8) }
  }

  private mutating func row<Element>(
    _ values: [Element], append number: (inout JSONWriter, Element) -> Void
  ) {
    let usualLength = 12
    beginValue()
    reserve(values.count * usualLength)
    append(ASCII.openBracket)
    var isFirst = true
    for value in values {
      if !isFirst { append(ASCII.comma) }
      isFirst = false
      number(&self, value)
    }
    append(ASCII.closeBracket)
  }

  /// Appends the shortest decimal that reads back as the number.
  ///
  /// Integral numbers are written without a fraction, except negative zero, which would lose its
  /// sign.
  mutating func appendNumber<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ number: Number
  ) {
    guard number.isFinite else {
      nonfiniteCount += 1
      return append(JSONWriter.nullLiteral)
    }
    let start = bytes.count
    append(number.description.utf8)
    let isIntegral =
      bytes.count - start > 2 && bytes.suffix(2).elementsEqual([ASCII.dot, ASCII.zero])
    if isIntegral, number != 0 || number.sign == .plus { dropLast(2) }
  }
}

extension JSONWriter {
  /// Writes a value of a document as strict JSON.
  ///
  /// Numbers keep their source text.
  package mutating func value(_ node: JSONNode) {
    var open: [(end: Int, bracket: UInt8)] = []
    var index = node.index
    let end = Int(node.entry.next)
    while index < end || !open.isEmpty {
      if let container = open.last, container.end <= index {
        self.end(container.bracket)
        open.removeLast()
        continue
      }
      let item = node.node(at: index)
      if open.last?.bracket == ASCII.closeBrace, !isAfterKey {
        key(item.string ?? "")
      } else if let bracket = begin(item) {
        open.append((Int(item.entry.next), bracket))
      } else {
        scalar(item)
      }
      index += 1
    }
  }

  /// Begins an array or object and returns its closing bracket, or `nil` for other values.
  private mutating func begin(_ node: JSONNode) -> UInt8? {
    switch node.kind {
    case .object:
      begin(ASCII.openBrace)
      return ASCII.closeBrace
    case .array:
      begin(ASCII.openBracket)
      return ASCII.closeBracket
    default: return nil
    }
  }

  private mutating func scalar(_ node: JSONNode) {
    if let text = node.string { value(text) } else { rawJSON(node.tape.bytes[node.range]) }
  }
}
