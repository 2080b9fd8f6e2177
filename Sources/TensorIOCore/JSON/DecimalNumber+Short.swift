extension DecimalNumber {
  /// So many digits are held exactly by a `Double`.
  private static let shortDigits = 15

  /// The nearest `Double` of a number of few digits and without an exponent; `nil` for others.
  ///
  /// Both the digits and the power of ten are exact, so that one division rounds once.
  static func short(_ text: Span<UInt8>, _ range: Range<Int>) -> Double? {
    guard range.count <= shortDigits + 2 else { return nil }
    let isNegative = text[range.lowerBound] == ASCII.minus
    var digits: UInt64 = 0
    var scale = -1
    for index in (isNegative ? range.lowerBound + 1 : range.lowerBound)..<range.upperBound {
      let byte = text[index]
      if byte.isDigit {
        digits = digits &* 10 &+ UInt64(byte &- ASCII.zero)
        if scale >= 0 { scale &+= 1 }
      } else if byte == ASCII.dot {
        scale = 0
      } else {
        return nil
      }
    }
    guard digits < 1 << 53 else { return nil }
    let value = scale > 0 ? Double(digits) / exactPowersOfTen[scale] : Double(digits)
    return isNegative ? -value : value
  }
}
