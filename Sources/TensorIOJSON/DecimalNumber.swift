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
  private static let maxExponent = 1 << 40

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
      magnitude = min(magnitude * 10 + Int(digits[index] - ASCII.zero), maxExponent)
    }
    return isNegative ? -magnitude : magnitude
  }
}

extension DecimalNumber {
  /// So many digits are held exactly by a `Double`.
  private static let maxExactDigits = 15

  /// The nearest `Double` of a number of few digits and without an exponent; `nil` for others.
  ///
  /// Both the digits and the power of ten are exact, so that one division rounds once.
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
  /// The nearest `Double`; infinite when the number is too large for one.
  var double: Double {
    let magnitude = exactQuotient ?? roundedProduct ?? fallbackDouble
    return isNegative ? -magnitude : magnitude
  }

  /// The nearest `Float`; infinite when the number is too large for one.
  var float: Float {
    let wide = double
    let narrow = Float(wide)
    let isCoarse = narrow.magnitude <= .leastNormalMagnitude && wide != 0
    return isCoarse || isHalfway(wide) || !narrow.isFinite ? fallbackFloat : narrow
  }

  /// Whether rounding the nearest `Double` once more could round the wrong way: only when it
  /// stands exactly between two `Float`s, where the decimal may not.
  private func isHalfway(_ value: Double) -> Bool {
    let dropped = Double.significandBitCount - Float.significandBitCount
    let mask: UInt64 = 1 << dropped - 1
    return value.bitPattern & mask == 1 << (dropped - 1)
  }

  /// The result of one multiplication or division of two numbers that a `Double` holds exactly.
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

  /// The product of the significand and 128 bits of the power of five, where that decides the
  /// rounding.
  ///
  /// The power is too small by less than one unit of its last place, and the product's lowest 64
  /// bits are left out, so the true product lies less than two units above the computed one. Only
  /// when half a unit of the result lies in between is another way needed.
  private var roundedProduct: Double? {
    guard !isTruncated, let power = PowerOfTen.table[exponent] else { return nil }
    let shift = significand.leadingZeroBitCount
    let product = power.significand.upperProduct(with: significand << UInt64(shift))
    let isLong = product.leadingZeroBitCount == 0
    let dropped = UInt128.bitWidth - (Double.significandBitCount + 1) - (isLong ? 0 : 1)
    let rest = product & (1 << dropped - 1)
    let half: UInt128 = 1 << (dropped - 1)
    guard rest != half, rest != half - 1 else { return nil }
    let kept = UInt64(truncatingIfNeeded: product >> dropped) + (rest > half ? 1 : 0)
    let leftOut = 64
    return Double(kept) * exp2(power.exponent + leftOut - shift + dropped)
  }

  /// A power of two that is a normal number, as all that the table leads to are.
  private func exp2(_ exponent: Int) -> Double {
    Double(bitPattern: UInt64(truncatingIfNeeded: 1023 + exponent) << 52)
  }

  /// The standard library's answer, from no more digits than can matter.
  private var fallbackDouble: Double { Double(truncatedText) ?? 0 }

  private var fallbackFloat: Float {
    let magnitude = Float(truncatedText) ?? 0
    return isNegative ? -magnitude : magnitude
  }

  /// The number without its sign, with at most as many digits as can decide a rounding: 767 can,
  /// and one more says whether anything follows them.
  private var truncatedText: String {
    let decisive = 800
    var digits: [UInt8] = []
    var scale = 0
    var isFraction = false
    var hasRest = false
    for byte in text[range].drop(while: { $0 == ASCII.minus }) {
      if byte == ASCII.dot { isFraction = true }
      if byte.isExponentSign { break }
      guard byte.isDigit else { continue }
      if digits.count < decisive {
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

/// The upper half of a power of ten: `significand · 2^exponent`, too small by less than one unit
/// of the significand's last place.
struct PowerOfTen {
  let significand: UInt128
  let exponent: Int

  /// The powers whose fives, or whose fives' reciprocals, 128 bits hold to the last.
  struct Table {
    /// 5^55 is the last power of five below 2^128.
    private static let maxExponent = 55
    private let powers: [PowerOfTen]

    /// The power with an exponent, where the table has it.
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

  /// 10^power, from 5^power.
  private init(five: UInt128, power: Int) {
    let shift = five.leadingZeroBitCount
    significand = five << UInt128(shift)
    exponent = power - shift
  }

  /// 10^-power, from 5^power: 2^255 divided by the power shifted up to 128 bits.
  private init(reciprocalOf five: UInt128, power: Int) {
    let shift = five.leadingZeroBitCount
    let divisor = five << UInt128(shift)
    significand = divisor.dividingFullWidth((1 << 127, 0)).quotient
    exponent = -power + shift - 255
  }
}

extension UInt128 {
  /// The upper 128 bits of the 192-bit product with a number.
  fileprivate func upperProduct(with factor: UInt64) -> UInt128 {
    let lower = UInt64(truncatingIfNeeded: self).multipliedFullWidth(by: factor)
    let upper = UInt64(truncatingIfNeeded: self >> 64).multipliedFullWidth(by: factor)
    let sum = UInt128(upper.high) << 64 | UInt128(upper.low)
    return sum + UInt128(lower.high)
  }
}
