/// A number as JSON writes it, taken apart: `significand · 10^exponent`.
///
/// Turning it into a `Double` or `Float` rounds once, to the nearest value, as if the decimal had
/// been exact; see `DecimalNumber+Rounding.swift`.
struct DecimalNumber {
  private(set) var isNegative = false
  /// The first significant digits as an integer.
  private(set) var significand: UInt64 = 0
  /// The power of ten that the significand is to be multiplied with.
  private(set) var exponent = 0
  /// The number after `e`.
  private(set) var writtenExponent = 0
  /// Whether there were more digits than the significand holds, and not only zeros.
  private(set) var isTruncated = false

  let text: [UInt8]
  let range: Range<Int>

  /// Nineteen digits always fit 64 bits.
  private static let significantDigits = 19
  /// A power of ten beyond any `Double`, and far from overflowing an `Int`.
  private static let largestExponent = 1 << 40

  /// Takes a number apart that the parser has found to be well formed.
  init(_ text: [UInt8], _ range: Range<Int>) {
    self.text = text
    self.range = range
    let digits = text.span
    var index = range.lowerBound
    if digits[index] == ASCII.minus {
      isNegative = true
      index += 1
    }
    var taken = 0
    var scale = 0
    var isFraction = false
    while index < range.upperBound {
      let byte = digits[index]
      index += 1
      if byte == ASCII.dot {
        isFraction = true
        continue
      }
      guard byte.isDigit else { break }
      if taken < DecimalNumber.significantDigits {
        significand = significand &* 10 &+ UInt64(byte &- ASCII.zero)
        if significand != 0 { taken &+= 1 }
        if isFraction { scale &-= 1 }
      } else {
        if byte != ASCII.zero { isTruncated = true }
        if !isFraction { scale &+= 1 }
      }
    }
    writtenExponent = DecimalNumber.exponent(in: digits, from: index, to: range.upperBound)
    exponent = scale + writtenExponent
  }

  /// The number after `e`, kept within what can be computed with.
  private static func exponent(in digits: Span<UInt8>, from start: Int, to end: Int) -> Int {
    guard start < end else { return 0 }
    let isNegative = digits[start] == ASCII.minus
    var magnitude = 0
    for index in start..<end where digits[index].isDigit {
      magnitude = min(magnitude * 10 + Int(digits[index] - ASCII.zero), largestExponent)
    }
    return isNegative ? -magnitude : magnitude
  }
}
