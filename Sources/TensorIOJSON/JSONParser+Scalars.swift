extension JSONParser {
  /// Reads a string, whose opening quote is at hand.
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
        throw error(.unterminatedString, expected: "a closing '\"'", found: "the end of the text")
      }
    }
  }

  /// Goes past the characters that stand for themselves and take one byte.
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
        .invalidUTF8, expected: "UTF-8", found: "the byte \(hexadecimal(bytes[offset]))")
    }
    offset += length
  }

  private func controlCharacter() -> JSONError {
    let byte = bytes[offset]
    return error(
      byte == 0 ? .nulCharacter : .controlCharacter,
      expected: "a closing '\"' or a printable character", found: "the byte \(hexadecimal(byte))",
      suggestion: byte == 0 ? nil : "a line break inside a string is written \\n, a tab \\t")
  }
}

/// The form of UTF-8's characters of several bytes.
enum UTF8Validator {
  /// The length of a character of two to four bytes, or `nil` when it is none: cut short,
  /// longer than it need be, half of a surrogate pair, or beyond Unicode.
  static func length(of text: [UInt8], at index: Int) -> Int? {
    guard let form = form(of: text[index]), index + form.length <= text.count,
      form.second.contains(text[index + 1])
    else { return nil }
    for continuation in text[index + 1..<index + form.length]
    where continuation & 0xC0 != 0x80 {
      return nil
    }
    return form.length
  }

  /// What a first byte says of the length and of the second byte.
  private static func form(of first: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
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
  /// Reads a number, whose first digit or minus is at hand.
  mutating func readNumber() throws(JSONError) {
    let start = offset
    var kind = JSONEntry.Kind.integer
    if next == ASCII.minus { offset += 1 }
    let integerStart = offset
    skipDigits()
    let hasGoodInteger =
      offset == integerStart + 1 || offset > integerStart && bytes[integerStart] != ASCII.zero
    guard hasGoodInteger else { throw invalidNumber(from: start) }
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

  /// Goes past digits; returns how many.
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

  /// Refuses a number that no `Double` is near.
  private mutating func checkMagnitude(from start: Int) throws(JSONError) {
    // A number of few bytes can only be too large by its exponent.
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
  /// A number of fewer bytes is never too large without an exponent.
  static let maxPlainNumberLength = 300

  /// Reads plain numbers of an array as far as each is followed by another, in a loop of its own:
  /// tensors are long rows of them.
  ///
  /// Whatever is not as plain as that, and the last of a row, is left at hand.
  mutating func readNumberRow() {
    let text = bytes
    let span = text.span
    var count = 0
    while let (end, kind) = Self.plainNumber(in: span, from: offset),
      let next = Self.nextNumber(in: span, after: end)
    {
      entries.append(JSONEntry(kind, start: offset, end: end, next: entries.count + 1))
      offset = next
      count += 1
    }
    open[open.count - 1].count += count
  }

  /// The end of a number without an exponent, and whether it has a fraction.
  private static func plainNumber(
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

  /// Where a number begins behind a comma, and behind one blank at most.
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
    let word = literal(from: start)
    let kind: JSONEntry.Kind
    switch word {
    case "true": kind = .trueLiteral
    case "false": kind = .falseLiteral
    case "null": kind = .nullLiteral
    default: throw unknownLiteral(word)
    }
    offset += word.utf8.count
    entries.append(JSONEntry(kind, start: start, end: offset, next: entries.count + 1))
  }

  /// The letters, digits and signs from a byte on, as many as a message shows.
  func literal(from start: Int) -> String {
    let longest = 40
    let end = min(start + longest, bytes.count)
    return String(decoding: bytes[start..<end].prefix(while: isLiteralByte), as: UTF8.self)
  }

  /// Whether a byte right after a number or word makes it something else.
  func isLiteralByte(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == ASCII.dot || byte == ASCII.plus
      || byte == ASCII.minus || byte == UInt8(ascii: "_")
  }

  private func unknownLiteral(_ word: String) -> JSONError {
    guard let first = word.utf8.first else { return unexpectedByte("a value") }
    if first == ASCII.plus || first == ASCII.dot {
      return error(
        .invalidNumber, expected: "a number that begins with a digit or '-'", found: "'\(word)'")
    }
    switch word.lowercased() {
    case "nan", "inf", "infinity": return notFinite()
    case "true", "yes", "on": return unknownLiteral(word, suggestion: "write true")
    case "false", "no", "off": return unknownLiteral(word, suggestion: "write false")
    case "null", "none", "nil", "undefined": return unknownLiteral(word, suggestion: "write null")
    default: return unknownLiteral(word, suggestion: "a text stands in double quotes")
    }
  }

  private func unknownLiteral(_ word: String, suggestion: String) -> JSONError {
    error(.unknownWord, expected: "a value", found: "'\(word)'", suggestion: suggestion)
  }

  /// The refusal of a word that means a number without a value.
  func notFinite() -> JSONError {
    error(.notFinite, expected: "a number", found: "'\(literal(from: offset))'")
  }
}
