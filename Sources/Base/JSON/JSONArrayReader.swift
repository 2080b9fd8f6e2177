/// Reads a number, a Boolean or nested arrays of them into one array, without a document.
///
/// Tensors in requests are long arrays, which this reads in a single pass. It accepts the literals
/// `NaN`, `Infinity` and `-Infinity` for floating-point numbers.
package struct JSONArrayReader {
  /// An error with its position in the text.
  package struct ReadError: Error, Sendable, Hashable {
    package let message: String
    /// The offset of the byte.
    package let offset: Int
  }

  /// The type of the elements.
  package enum ElementType: Sendable {
    case float, double, signed, unsigned, bool
  }

  /// Elements of one type.
  package enum Elements: Sendable {
    case floats([Float])
    case doubles([Double])
    case signed([Int64])
    case unsigned([UInt64])
    case bools([Bool])

    /// The number of elements.
    package var count: Int {
      switch self {
      case .floats(let values): values.count
      case .doubles(let values): values.count
      case .signed(let values): values.count
      case .unsigned(let values): values.count
      case .bools(let values): values.count
      }
    }
  }

  /// The maximum depth of nested arrays.
  private static let maxDepth = 32

  private let text: [UInt8]
  /// The offset of the next byte.
  package private(set) var offset: Int
  /// The number of elements of the open arrays, outermost first.
  private var counts: [Int] = []
  /// The length of the arrays at each depth, once one of them is complete.
  private var lengths: [Int?] = []
  /// The number of elements before the last one that ``readPlainFloats(into:)`` has read.
  private var skippedCount = 0
  /// The depth of the elements, once there is one.
  private var elementDepth: Int?

  private let isCanceled: @Sendable () -> Bool
  /// The number of steps until the reader checks whether the elements are still needed.
  private var stepsUntilCheck = checkInterval

  /// The number of elements that are read one by one between two checks.
  private static let checkInterval = 1 << 12
  /// The number of plain numbers that are read at once.
  static let maxPlainCount = 1 << 16

  /// Creates a reader that begins at an offset of a text.
  ///
  /// `isCanceled` returns whether the elements are not needed anymore, and is called every few milliseconds.
  package init(
    _ text: [UInt8], at offset: Int, isCanceled: @escaping @Sendable () -> Bool = { false }
  ) {
    (self.text, self.offset, self.isCanceled) = (text, offset, isCanceled)
  }

  /// The lengths of the arrays, outermost first; empty for a single element.
  package var shape: [Int] { lengths.map { $0 ?? 0 } }

  /// Reads the value at the current offset.
  ///
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - capacity: The expected number of elements.
  /// - Returns: The elements, in the order of the text.
  /// - Throws: An error if the text is invalid, arrays of one depth have different lengths, or an
  ///   element does not fit the type.
  package mutating func read(
    _ type: ElementType, capacity: Int = 0
  ) throws(ReadError) -> Elements {
    let capacity = min(capacity, (text.count - offset) / 2 + 1)
    switch type {
    case .float:
      var values: [Float] = []
      values.reserveCapacity(capacity)
      try readAll { (reader) throws(ReadError) in
        reader.readPlainFloats(into: &values)
        values.append(try reader.float())
      }
      return .floats(values)
    case .double:
      var values: [Double] = []
      values.reserveCapacity(capacity)
      try readAll { (reader) throws(ReadError) in values.append(try reader.double()) }
      return .doubles(values)
    case .signed:
      var values: [Int64] = []
      values.reserveCapacity(capacity)
      try readAll { (reader) throws(ReadError) in values.append(try reader.integer()) }
      return .signed(values)
    case .unsigned:
      var values: [UInt64] = []
      values.reserveCapacity(capacity)
      try readAll { (reader) throws(ReadError) in values.append(try reader.integer()) }
      return .unsigned(values)
    case .bool:
      var values: [Bool] = []
      try readAll { (reader) throws(ReadError) in values.append(try reader.bool()) }
      return .bools(values)
    }
  }
}

// MARK: Structure

extension JSONArrayReader {
  /// Reads elements and brackets up to the end of the value.
  @inline(__always)
  private mutating func readAll(
    _ element: (inout JSONArrayReader) throws(ReadError) -> Void
  ) throws(ReadError) {
    while true {
      skipWhitespace()
      if next == ASCII.openBracket {
        guard elementDepth != counts.count, counts.count < Self.maxDepth else {
          throw ragged("an array beside elements, or arrays nested too deeply")
        }
        offset += 1
        counts.append(0)
        if lengths.count < counts.count { lengths.append(nil) }
        skipWhitespace()
        if next != ASCII.closeBracket { continue }
      } else {
        try readRow(&self, element)
      }
      if try closeArrays() { return }
    }
  }

  /// Reads elements up to the end of their array.
  @inline(__always)
  private func readRow(
    _ reader: inout JSONArrayReader,
    _ element: (inout JSONArrayReader) throws(ReadError) -> Void
  ) throws(ReadError) {
    let depth = reader.counts.count
    guard reader.elementDepth == nil || reader.elementDepth == depth else {
      throw reader.ragged("elements at different depths")
    }
    reader.elementDepth = depth
    guard depth > 0 else { return try element(&reader) }
    var count = 0
    while true {
      reader.skippedCount = 0
      try element(&reader)
      count += 1 + reader.skippedCount
      reader.stepsUntilCheck &-= 1 + reader.skippedCount / 16
      if reader.stepsUntilCheck <= 0 { try reader.checkCancellation() }
      reader.skipWhitespace()
      guard reader.next == ASCII.comma else { break }
      reader.offset += 1
      reader.skipWhitespace()
    }
    reader.counts[depth - 1] += count
  }

  /// Closes arrays up to the next comma; returns whether the value is complete.
  private mutating func closeArrays() throws(ReadError) -> Bool {
    while !counts.isEmpty {
      skipWhitespace()
      switch next {
      case ASCII.comma:
        offset += 1
        return false
      case ASCII.closeBracket:
        offset += 1
        let depth = counts.count - 1
        let count = counts.removeLast()
        if let length = lengths[depth], length != count {
          throw ragged("an array of \(count) beside one of \(length)")
        }
        lengths[depth] = count
        if depth > 0 { counts[depth - 1] += 1 }
      case nil: throw error("the text ends inside an array")
      default: throw error("expected ',' or ']'")
      }
    }
    return true
  }

  private mutating func checkCancellation() throws(ReadError) {
    stepsUntilCheck = Self.checkInterval
    if isCanceled() { throw error("the elements were not read in time") }
  }

  private var next: UInt8? { offset < text.count ? text[offset] : nil }

  @inline(__always)
  private mutating func skipWhitespace() {
    while let byte = next, byte <= ASCII.space,
      byte == ASCII.space || byte == 0x0A || byte == 0x0D || byte == 0x09
    { offset += 1 }
  }

  private func error(_ message: String) -> ReadError { ReadError(message: message, offset: offset) }

  private func ragged(_ message: String) -> ReadError { error("ragged arrays: \(message)") }
}

// MARK: Elements

extension JSONArrayReader {
  /// A number as its digits.
  private struct Digits {
    var isNegative = false
    var significand: UInt64 = 0
    var exponent = 0
    /// Whether the number has neither fraction nor exponent.
    var isInteger = true
    /// Whether the significand has all digits.
    var isExact = true
    var hasExponent = false
    var range: Range<Int>
  }

  /// The number of digits that always fit in 64 bits.
  private static let maxDigits = 19

  @inline(__always)
  private mutating func digits() throws(ReadError) -> Digits {
    let start = offset
    let text = text
    let span = text.span
    var digits = Digits(range: start..<start)
    var index = start
    if index < span.count, span[index] == ASCII.minus {
      digits.isNegative = true
      index += 1
    }
    let first = index
    var significand: UInt64 = 0
    while index < span.count, span[index].isDigit {
      significand = significand &* 10 &+ UInt64(span[index] &- ASCII.zero)
      index += 1
    }
    let integerCount = index - first
    guard integerCount == 1 || integerCount > 1 && span[first] != ASCII.zero else {
      throw error("expected a number")
    }
    var digitCount = integerCount
    if index < span.count, span[index] == ASCII.dot {
      index += 1
      let fraction = index
      while index < span.count, span[index].isDigit {
        significand = significand &* 10 &+ UInt64(span[index] &- ASCII.zero)
        index += 1
      }
      let count = index - fraction
      guard count > 0 else { throw error("expected digits after the decimal point") }
      digits.isInteger = false
      digits.exponent = -count
      digitCount += count
    }
    if index < span.count, span[index] | 0x20 == UInt8(ascii: "e") {
      let (end, exponent) = try readExponent(from: index)
      (digits.isInteger, digits.hasExponent) = (false, true)
      digits.exponent += exponent
      index = end
    }
    digits.significand = significand
    digits.isExact = digitCount <= Self.maxDigits
    digits.range = start..<index
    offset = index
    return digits
  }

  /// Returns the end and the value of an exponent.
  private func readExponent(
    from start: Int
  ) throws(ReadError) -> (end: Int, exponent: Int) {
    var index = start + 1
    let isNegative = index < text.count && text[index] == ASCII.minus
    if isNegative || index < text.count && text[index] == ASCII.plus { index += 1 }
    var exponent = 0
    let first = index
    while index < text.count, text[index].isDigit {
      exponent = min(exponent * 10 + Int(text[index] &- ASCII.zero), 1 << 20)
      index += 1
    }
    guard index > first else { throw error("expected digits in the exponent") }
    return (index, isNegative ? -exponent : exponent)
  }

  @inline(__always)
  private mutating func double() throws(ReadError) -> Double {
    if let literal = nonfiniteLiteral() { return literal }
    let digits = try digits()
    let value = fastDouble(digits) ?? decimal(digits).double
    guard value.isFinite else { throw overflow(digits, "a 64-bit floating-point number") }
    return value
  }

  @inline(__always)
  private mutating func float() throws(ReadError) -> Float {
    if let literal = nonfiniteLiteral() { return Float(literal) }
    let digits = try digits()
    let value = decimal(digits).float
    guard value.isFinite else { throw overflow(digits, "a 32-bit floating-point number") }
    return value
  }

  @inline(__always)
  private func fastDouble(_ digits: Digits) -> Double? {
    guard digits.isExact, digits.significand <= 1 << 53, (-22...22).contains(digits.exponent) else {
      return nil
    }
    let value = Double(digits.significand)
    let scaled =
      digits.exponent < 0
      ? value / DecimalNumber.exactPowersOfTen[-digits.exponent]
      : value * DecimalNumber.exactPowersOfTen[digits.exponent]
    return digits.isNegative ? -scaled : scaled
  }

  @inline(__always)
  private func decimal(_ digits: Digits) -> DecimalNumber {
    guard digits.isExact, !digits.hasExponent else { return DecimalNumber(text, digits.range) }
    return DecimalNumber(
      text, digits.range, isNegative: digits.isNegative, significand: digits.significand,
      exponent: digits.exponent)
  }

  /// Reads plain numbers of an array up to one that is not, or that is its last.
  private mutating func readPlainFloats(into values: inout [Float]) {
    guard !counts.isEmpty else { return }
    let count = values.count
    offset = Self.readPlainFloats(text, at: offset, into: &values)
    skippedCount = values.count - count
  }

  private func overflow(_ digits: Digits, _ type: String) -> ReadError {
    ReadError(message: "the number does not fit \(type)", offset: digits.range.lowerBound)
  }

  private mutating func integer<Value: FixedWidthInteger>() throws(ReadError) -> Value {
    let digits = try digits()
    guard digits.isInteger else {
      throw ReadError(
        message: "expected an integer without fraction or exponent",
        offset: digits.range.lowerBound)
    }
    let literal = String(decoding: text[digits.range], as: UTF8.self)
    let small = digits.isExact ? Value(exactly: digits.significand) : nil
    let value = small.map { digits.isNegative ? 0 &- $0 : $0 }
    guard
      let value = digits.isNegative && !Value.isSigned ? Value(literal) : value ?? Value(literal)
    else { throw overflow(digits, "a 64-bit \(Value.isSigned ? "signed" : "unsigned") integer") }
    return value
  }

  private mutating func bool() throws(ReadError) -> Bool {
    if skip("true") { return true }
    if skip("false") { return false }
    throw error("expected true or false")
  }

  /// Reads a literal for a number that is not finite.
  @inline(__always)
  private mutating func nonfiniteLiteral() -> Double? {
    guard let byte = next, !byte.isDigit else { return nil }
    if skip("NaN") { return .nan }
    if skip("Infinity") { return .infinity }
    return skip("-Infinity") ? -.infinity : nil
  }

  private mutating func skip(_ literal: StaticString) -> Bool {
    let word = literal.description.utf8
    guard text[offset...].starts(with: word) else { return false }
    offset += word.count
    return true
  }
}
