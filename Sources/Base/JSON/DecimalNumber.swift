/// A decimal number in JSON syntax, decomposed as `significand · 10^exponent`.
///
/// Conversion to `Double` or `Float` is correctly rounded to the nearest value.
struct DecimalNumber {
  private(set) var isNegative = false
  /// The leading significant digits as an integer.
  private(set) var significand: UInt64 = 0
  /// The power of ten by which the significand is multiplied.
  private(set) var exponent = 0
  /// The number after `e` in the text.
  private(set) var writtenExponent = 0
  /// Whether nonzero digits were dropped from the significand.
  private(set) var isTruncated = false

  let text: [UInt8]
  let range: Range<Int>

  /// The maximum number of digits that always fits in 64 bits.
  private static let significantDigits = 19
  /// A limit beyond the range of `Double` and far below overflow of `Int`.
  private static let maxExponent = 1 << 40

  /// Decomposes a number whose syntax the parser has validated.
  init(_ text: [UInt8], _ range: Range<Int>) {
    self.text = text
    self.range = range
    let digits = text.span
    var index = range.lowerBound
    if digits[index] == ASCII.minus {
      isNegative = true
      index += 1
    }
    var digitCount = 0
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
      if digitCount < DecimalNumber.significantDigits {
        significand = significand &* 10 &+ UInt64(byte &- ASCII.zero)
        if significand != 0 { digitCount &+= 1 }
        if isFraction { scale &-= 1 }
      } else {
        if byte != ASCII.zero { isTruncated = true }
        if !isFraction { scale &+= 1 }
      }
    }
    writtenExponent = DecimalNumber.exponent(in: digits, from: index, to: range.upperBound)
    exponent = scale + writtenExponent
  }

  /// Creates a number from all of its digits.
  init(
    _ text: [UInt8], _ range: Range<Int>, isNegative: Bool, significand: UInt64, exponent: Int
  ) {
    (self.text, self.range, self.isNegative) = (text, range, isNegative)
    (self.significand, self.exponent) = (significand, exponent)
  }

  /// Returns the number after `e`, clamped to ``maxExponent``.
  private static func exponent(in digits: Span<UInt8>, from start: Int, to end: Int) -> Int {
    guard start < end else { return 0 }
    let isNegative = digits[start] == ASCII.minus
    var magnitude = 0
    for index in start..<end where digits[index].isDigit {
      magnitude = min(magnitude * 10 + Int(digits[index] - ASCII.zero), maxExponent)
    }
    return isNegative ? -magnitude : magnitude
  }
}

extension DecimalNumber {
  /// The maximum number of digits that a `Double` represents exactly.
  private static let maxExactDigits = 15

  /// Returns the nearest `Double` of a number with few digits and no exponent; `nil` for others.
  ///
  /// Digits and power of ten are exact, so that the division is the only rounding.
  static func fastDouble(_ text: Span<UInt8>, _ range: Range<Int>) -> Double? {
    guard range.count <= maxExactDigits + 2 else { return nil }
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

extension DecimalNumber {
  /// The nearest `Double`, or infinity on overflow.
  var double: Double {
    let magnitude = exactQuotient ?? roundedProduct ?? fallbackDouble
    return isNegative ? -magnitude : magnitude
  }

  /// The nearest `Float`, or infinity on overflow.
  var float: Float { DecimalNumber.floatIfCertain(double) ?? fallbackFloat }

  /// Returns the `Float` nearest to a decimal number, given the `Double` nearest to it; `nil` if that
  /// does not determine the result.
  @inline(__always)
  static func floatIfCertain(_ wide: Double) -> Float? {
    let narrow = Float(wide)
    let isCoarse = narrow.magnitude <= .leastNormalMagnitude && wide != 0
    return isCoarse || isHalfway(wide) || !narrow.isFinite ? nil : narrow
  }

  /// Whether double rounding could be wrong: the `Double` is exactly between two `Float` values,
  /// while the decimal number may not be.
  @inline(__always)
  private static func isHalfway(_ value: Double) -> Bool {
    let dropped = Double.significandBitCount - Float.significandBitCount
    let mask: UInt64 = 1 << dropped - 1
    return value.bitPattern & mask == 1 << (dropped - 1)
  }

  /// The result of one multiplication or division of two exactly represented numbers, if possible.
  private var exactQuotient: Double? {
    guard significand <= 1 << 53, !isTruncated else { return nil }
    let value = Double(significand)
    return switch exponent {
    case 0: value
    case 1...22: value * DecimalNumber.exactPowersOfTen[exponent]
    case -22 ... -1: value / DecimalNumber.exactPowersOfTen[-exponent]
    default: significand == 0 ? 0 : nil
    }
  }

  private var roundedProduct: Double? {
    isTruncated ? nil : Self.roundedProduct(significand, exponent, PowerOfTen.table)
  }

  /// Returns the rounded product of a significand and 128 bits of the power of five, or `nil` if the
  /// rounding is ambiguous.
  ///
  /// The power is too small by less than one unit in the last place, and the product's lowest 64
  /// bits are omitted, so the exact product is less than two units above the computed one. The
  /// rounding is ambiguous only if half a unit of the result is in between.
  @inline(__always)
  static func roundedProduct(
    _ significand: UInt64, _ exponent: Int, _ table: PowerOfTen.Table
  ) -> Double? {
    guard let power = table[exponent] else { return nil }
    let shift = significand.leadingZeroBitCount
    let product = power.significand.upperProduct(with: significand << UInt64(shift))
    let isLong = product.leadingZeroBitCount == 0
    let dropped = UInt128.bitWidth - (Double.significandBitCount + 1) - (isLong ? 0 : 1)
    let rest = product & (1 << dropped - 1)
    let half: UInt128 = 1 << (dropped - 1)
    guard rest != half, rest != half - 1 else { return nil }
    let rounded = UInt64(truncatingIfNeeded: product >> dropped) + (rest > half ? 1 : 0)
    let omittedBits = 64
    return Double(rounded) * exp2(power.exponent + omittedBits - shift + dropped)
  }

  /// Returns a power of two, which is a normal number for all exponents in the table.
  private static func exp2(_ exponent: Int) -> Double {
    Double(bitPattern: UInt64(truncatingIfNeeded: 1023 + exponent) << 52)
  }

  /// The result of the standard library for the relevant digits.
  private var fallbackDouble: Double { Double(truncatedText) ?? 0 }

  private var fallbackFloat: Float {
    let magnitude = Float(truncatedText) ?? 0
    return isNegative ? -magnitude : magnitude
  }

  /// The number without sign and with a limited number of digits.
  ///
  /// At most 767 digits affect the rounding, apart from whether any nonzero digit follows.
  private var truncatedText: String {
    let maxDigits = 800
    var digits: [UInt8] = []
    var scale = 0
    var isFraction = false
    var hasRest = false
    for byte in text[range].drop(while: { $0 == ASCII.minus }) {
      if byte == ASCII.dot { isFraction = true }
      if byte.isExponentSign { break }
      guard byte.isDigit else { continue }
      if digits.count < maxDigits {
        if !digits.isEmpty || byte != ASCII.zero { digits.append(byte) }
        if isFraction { scale -= 1 }
      } else {
        hasRest = hasRest || byte != ASCII.zero
        if !isFraction { scale += 1 }
      }
    }
    if digits.isEmpty { return "0" }
    let rest = hasRest ? "1" : "0"
    return String(decoding: digits, as: UTF8.self) + rest + "e\(scale - 1 + writtenExponent)"
  }

  static let exactPowersOfTen: [Double] = (0...22).map { power in
    (0..<power).reduce(1) { product, _ in product * 10 }
  }
}

/// A power of ten as `significand · 2^exponent`, too small by less than a unit in the last place.
struct PowerOfTen {
  let significand: UInt128
  let exponent: Int

  /// The powers of ten whose powers of five, or their reciprocals, have 128 accurate bits.
  struct Table {
    /// 5^55 is the largest power of five below 2^128.
    private static let maxExponent = 55
    private let powers: [PowerOfTen]

    /// Returns the power with an exponent, if it is in the table.
    subscript(exponent: Int) -> PowerOfTen? {
      let index = exponent + Table.maxExponent
      return powers.indices.contains(index) ? powers[index] : nil
    }

    init() {
      var fives: [UInt128] = [1]
      for _ in 0..<Table.maxExponent { fives.append(fives[fives.count - 1] * 5) }
      let large = fives.enumerated().map { PowerOfTen(five: $1, power: $0) }
      let small = fives.enumerated().dropFirst().map { PowerOfTen(reciprocalOf: $1, power: $0) }
      powers = small.reversed() + large
    }
  }

  static let table = Table()

  /// Creates 10^power from 5^power.
  private init(five: UInt128, power: Int) {
    let shift = five.leadingZeroBitCount
    significand = five << UInt128(shift)
    exponent = power - shift
  }

  /// Creates 10^-power from 5^power, by dividing 2^255 by the power shifted to 128 bits.
  private init(reciprocalOf five: UInt128, power: Int) {
    let shift = five.leadingZeroBitCount
    let divisor = five << UInt128(shift)
    significand = divisor.dividingFullWidth((1 << 127, 0)).quotient
    exponent = -power + shift - 255
  }
}

extension UInt128 {
  /// Returns the upper 128 bits of the 192-bit product.
  fileprivate func upperProduct(with factor: UInt64) -> UInt128 {
    let lower = UInt64(truncatingIfNeeded: self).multipliedFullWidth(by: factor)
    let upper = UInt64(truncatingIfNeeded: self >> 64).multipliedFullWidth(by: factor)
    let sum = UInt128(upper.high) << 64 | UInt128(upper.low)
    return sum + UInt128(lower.high)
  }
}
