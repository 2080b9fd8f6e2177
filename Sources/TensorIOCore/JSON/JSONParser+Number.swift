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
    if let byte = next, isPartOfWord(byte) { throw invalidNumber(from: start) }
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
    let isShort = offset - start < JSONParser.plainLength
    if isShort, !bytes[start..<offset].contains(where: \.isExponentSign) { return }
    guard DecimalNumber(bytes, start..<offset).double.isFinite else {
      let found = excerpt(24, from: start)
      offset = start
      throw refusal(
        .numberOverflow, expected: "a number of at most 1.7976931348623157e308", found: found)
    }
  }

  private mutating func invalidNumber(from start: Int) -> JSONError {
    offset = start
    if word(from: start).dropFirst().lowercased().hasPrefix("inf") { return notFinite() }
    return refusal(
      .invalidNumber, expected: "a decimal number such as -12, 0.5 or 1e-3",
      found: "'\(word(from: start))'")
  }
}
