extension JSONParser {
  /// Reads a string, starting at its opening quote.
  mutating func readString() throws(JSONError) {
    let start = offset
    var kind = JSONEntry.Kind.plainString
    offset += 1
    while true {
      skipPlainText()
      switch next {
      case ASCII.quote:
        offset += 1
        entries.append(JSONEntry(kind, start: start, end: offset, next: entries.count + 1))
        return
      case ASCII.backslash:
        kind = .escapedString
        try skipEscape()
      case .some(let byte) where byte >= 0x80: try skipMultibyteCharacter()
      case .some: throw controlCharacter()
      case nil:
        offset = start
        throw error(.unterminatedString, expected: "a closing '\"'", found: "end of text")
      }
    }
  }

  /// Skips unescaped ASCII characters.
  private mutating func skipPlainText() {
    let text = bytes
    let span = text.span
    var index = offset
    while index < span.count {
      let byte = span[index]
      if byte < ASCII.space || byte >= 0x80 || byte == ASCII.quote || byte == ASCII.backslash {
        break
      }
      index += 1
    }
    offset = index
  }

  private mutating func skipEscape() throws(JSONError) {
    switch JSONEscape.read(bytes[...], at: offset) {
    case .success(let escape): offset += escape.length
    case .failure(.unknown):
      throw error(
        .invalidEscape, expected: #"one of \" \\ \/ \b \f \n \r \t \uXXXX"#, found: excerpt(6))
    case .failure(.loneSurrogate):
      throw error(
        .loneSurrogate, expected: "both halves of a surrogate pair", found: excerpt(6))
    case .failure(.nul):
      throw error(.nulCharacter, expected: "a character other than NUL", found: excerpt(6))
    }
  }

  private mutating func skipMultibyteCharacter() throws(JSONError) {
    guard let length = UTF8Validator.length(of: bytes, at: offset) else {
      throw error(
        .invalidUTF8, expected: "UTF-8", found: "byte \(hexadecimal(bytes[offset]))")
    }
    offset += length
  }

  private func controlCharacter() -> JSONError {
    let byte = bytes[offset]
    return error(
      byte == 0 ? .nulCharacter : .controlCharacter,
      expected: "a closing '\"' or a printable character", found: "byte \(hexadecimal(byte))",
      suggestion: byte == 0 ? nil : "write a line break as \\n and a tab as \\t")
  }
}

/// Validates multibyte UTF-8 characters.
enum UTF8Validator {
  /// Returns the length of a character of two to four bytes, or `nil` if it is invalid: truncated,
  /// overlong, a surrogate, or beyond Unicode.
  static func length(of text: [UInt8], at index: Int) -> Int? {
    guard let format = format(forFirstByte: text[index]), index + format.length <= text.count,
      format.second.contains(text[index + 1])
    else { return nil }
    for continuation in text[index + 1..<index + format.length]
    where continuation & 0xC0 != 0x80 {
      return nil
    }
    return format.length
  }

  /// Returns the length of a character and the range of its second byte.
  private static func format(
    forFirstByte first: UInt8
  ) -> (length: Int, second: ClosedRange<UInt8>)? {
    switch first {
    case 0xC2...0xDF: (2, 0x80...0xBF)
    case 0xE0: (3, 0xA0...0xBF)
    case 0xED: (3, 0x80...0x9F)
    case 0xE1...0xEF: (3, 0x80...0xBF)
    case 0xF0: (4, 0x90...0xBF)
    case 0xF1...0xF3: (4, 0x80...0xBF)
    case 0xF4: (4, 0x80...0x8F)
    default: nil
    }
  }
}

extension JSONParser {
  /// Reads a number, starting at its first digit or minus sign.
  mutating func readNumber() throws(JSONError) {
    let start = offset
    var kind = JSONEntry.Kind.integer
    if next == ASCII.minus { offset += 1 }
    let integerStart = offset
    skipDigits()
    let isValidInteger =
      offset == integerStart + 1 || offset > integerStart && bytes[integerStart] != ASCII.zero
    guard isValidInteger else { throw invalidNumber(from: start) }
    if next == ASCII.dot {
      kind = .fraction
      offset += 1
      guard skipDigits() > 0 else { throw invalidNumber(from: start) }
    }
    if let byte = next, byte.isExponentSign {
      kind = .fraction
      offset += 1
      if next == ASCII.plus || next == ASCII.minus { offset += 1 }
      guard skipDigits() > 0 else { throw invalidNumber(from: start) }
    }
    if let byte = next, isLiteralByte(byte) { throw invalidNumber(from: start) }
    try checkMagnitude(from: start)
    entries.append(JSONEntry(kind, start: start, end: offset, next: entries.count + 1))
  }

  /// Skips digits and returns their number.
  @discardableResult
  private mutating func skipDigits() -> Int {
    let text = bytes
    let span = text.span
    let start = offset
    var index = offset
    while index < span.count, span[index].isDigit { index += 1 }
    offset = index
    return index - start
  }

  /// Throws an error for a number that overflows a `Double`.
  private mutating func checkMagnitude(from start: Int) throws(JSONError) {
    // A short number can only overflow because of its exponent.
    let isShort = offset - start < JSONParser.maxPlainNumberLength
    if isShort, !bytes[start..<offset].contains(where: \.isExponentSign) { return }
    guard DecimalNumber(bytes, start..<offset).double.isFinite else {
      let found = excerpt(24, from: start)
      offset = start
      throw error(
        .numberOverflow, expected: "a number of at most 1.7976931348623157e308", found: found)
    }
  }

  private mutating func invalidNumber(from start: Int) -> JSONError {
    offset = start
    if literal(from: start).dropFirst().lowercased().hasPrefix("inf") { return notFinite() }
    return error(
      .invalidNumber, expected: "a decimal number such as -12, 0.5 or 1e-3",
      found: "'\(literal(from: start))'")
  }
}

extension JSONParser {
  /// The length from which a number can overflow without an exponent.
  static let maxPlainNumberLength = 300

  /// Reads consecutive plain numbers of an array in a tight loop, because tensors are long arrays.
  ///
  /// Stops before the last number and before anything that is not a plain number.
  mutating func readNumberRow() {
    let text = bytes
    let span = text.span
    var count = 0
    while count < JSONTape.checkInterval,
      let (end, kind) = Self.plainNumber(in: span, from: offset),
      let next = Self.nextNumber(in: span, after: end)
    {
      entries.append(JSONEntry(kind, start: offset, end: end, next: entries.count + 1))
      offset = next
      count += 1
    }
    open[open.count - 1].count += count
  }

  /// Returns the end and kind of a number without an exponent, or `nil` for anything else.
  static func plainNumber(
    in text: Span<UInt8>, from start: Int
  ) -> (end: Int, kind: JSONEntry.Kind)? {
    guard start < text.count else { return nil }
    let first = text[start] == ASCII.minus ? start + 1 : start
    let point = endOfDigits(in: text, from: first)
    guard point == first + 1 || point > first && text[first] != ASCII.zero,
      point - start < maxPlainNumberLength
    else { return nil }
    guard point < text.count, text[point] == ASCII.dot else { return (point, .integer) }
    let end = endOfDigits(in: text, from: point + 1)
    return end > point + 1 && end - start < maxPlainNumberLength ? (end, .fraction) : nil
  }

  /// Returns the start of the next number after a comma and at most one space, or `nil`.
  private static func nextNumber(in text: Span<UInt8>, after end: Int) -> Int? {
    guard end + 2 < text.count, text[end] == ASCII.comma else { return nil }
    let next = text[end + 1] == ASCII.space ? end + 2 : end + 1
    return text[next].isDigit || text[next] == ASCII.minus ? next : nil
  }

  private static func endOfDigits(in text: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < text.count, text[index].isDigit { index += 1 }
    return index
  }
}

extension JSONParser {
  /// Reads `true`, `false` or `null`.
  mutating func readLiteral() throws(JSONError) {
    let start = offset
    let literal = literal(from: start)
    let kind: JSONEntry.Kind
    switch literal {
    case "true": kind = .trueLiteral
    case "false": kind = .falseLiteral
    case "null": kind = .nullLiteral
    default: throw unknownLiteral(literal)
    }
    offset += literal.utf8.count
    entries.append(JSONEntry(kind, start: start, end: offset, next: entries.count + 1))
  }

  /// Returns the letters, digits and signs from an offset, up to the maximum for messages.
  func literal(from start: Int) -> String {
    let longest = 40
    let end = min(start + longest, bytes.count)
    return String(decoding: bytes[start..<end].prefix(while: isLiteralByte), as: UTF8.self)
  }

  /// Whether a byte continues a number or literal.
  func isLiteralByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == ASCII.dot || byte == ASCII.plus
      || byte == ASCII.minus || byte == UInt8(ascii: "_")
  }

  private func unknownLiteral(_ literal: String) -> JSONError {
    guard let first = literal.utf8.first else { return unexpectedByte("a value") }
    if first == ASCII.plus || first == ASCII.dot {
      return error(
        .invalidNumber, expected: "a number that begins with a digit or '-'",
        found: "'\(literal)'")
    }
    let suggestion: String? =
      switch literal.lowercased() {
      case "nan", "inf", "infinity": nil
      case "true", "yes", "on": "write true"
      case "false", "no", "off": "write false"
      case "null", "none", "nil", "undefined": "write null"
      default: "enclose strings in double quotes"
      }
    return suggestion.map { unknownLiteral(literal, suggestion: $0) } ?? notFinite()
  }

  private func unknownLiteral(_ literal: String, suggestion: String) -> JSONError {
    error(.unknownLiteral, expected: "a value", found: "'\(literal)'", suggestion: suggestion)
  }

  /// Returns the error for NaN or an infinity.
  func notFinite() -> JSONError {
    error(.notFinite, expected: "a number", found: "'\(literal(from: offset))'")
  }
}
