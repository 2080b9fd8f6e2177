/// Writes JSON, value by value.
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
/// Members keep their order. Numbers are written as short as they can be while reading back the
/// same; what JSON cannot write, NaN and the infinities, becomes `null` and is counted.
public struct JSONWriter: Sendable {
  /// How the values are laid out.
  public enum Style: Sendable, Hashable {
    /// All on one line, without a blank.
    case compact
    /// A line for every member and element, but for rows of numbers.
    case indented
  }

  /// The text so far, in UTF-8.
  public private(set) var bytes: [UInt8] = []
  /// How many numbers were written as `null` because they were not finite.
  public internal(set) var nonfiniteCount = 0
  /// How the values are laid out.
  public let style: Style

  private var depth = 0
  /// Whether the innermost array or object has something in it.
  private var isContinued = false
  /// Whether a key has been written and its value has not.
  private(set) var isAfterKey = false

  private static let indentation = Array("  ".utf8)

  /// A writer with nothing written.
  public init(_ style: Style = .compact) {
    self.style = style
  }

  /// The text so far.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object, with the members that the closure writes.
  public mutating func object<Failure: Error>(
    _ members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(ASCII.openBrace)
    try members(&self)
    end(ASCII.closeBrace)
  }

  /// Writes an array, with the elements that the closure writes.
  public mutating func array<Failure: Error>(
    _ elements: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    begin(ASCII.openBracket)
    try elements(&self)
    end(ASCII.closeBracket)
  }

  /// Writes the key of the member whose value is written next.
  public mutating func key(_ name: String) {
    separate()
    appendQuoted(name)
    append(ASCII.colon)
    if style == .indented { append(ASCII.space) }
    isAfterKey = true
  }

  /// Makes room for a value: a comma, and a line of its own.
  mutating func separate() {
    if isAfterKey {
      isAfterKey = false
      return
    }
    if isContinued { append(ASCII.comma) }
    isContinued = true
    if depth > 0 { breakLine() }
  }

  mutating func begin(_ bracket: UInt8) {
    separate()
    append(bracket)
    depth += 1
    isContinued = false
  }

  mutating func end(_ bracket: UInt8) {
    depth -= 1
    if isContinued { breakLine() }
    append(bracket)
    isContinued = true
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

  mutating func reserve(_ count: Int) {
    bytes.reserveCapacity(bytes.count + count)
  }
}
