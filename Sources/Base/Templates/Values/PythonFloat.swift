/// Numbers with a fraction as Python prints, rounds and parses them.
enum PythonFloat {
  /// Returns the shortest text that reads back as the number, with an exponent from 10¹⁶ on.
  static func text(of number: Double) -> TemplateText {
    guard number.isFinite else {
      return number.isNaN ? "nan" : number < 0 ? "-inf" : "inf"
    }
    let (digits, exponent) = shortest(number.magnitude)
    var text = number.sign == .minus ? "-" : ""
    let point = exponent + 1
    if exponent < -4 || exponent >= 16 {
      text += digits.prefix(1)
      if digits.count > 1 { text += "." + digits.dropFirst() }
      text += exponent < 0 ? "e-" : "e+"
      text += exponent.magnitude < 10 ? "0\(exponent.magnitude)" : "\(exponent.magnitude)"
    } else if point <= 0 {
      text += "0." + String(repeating: "0", count: -point) + digits
    } else if point >= digits.count {
      text += digits + String(repeating: "0", count: point - digits.count) + ".0"
    } else {
      text += digits.prefix(point) + "." + digits.dropFirst(point)
    }
    return TemplateText(text)
  }

  /// Returns the significant digits of a number and the exponent of the first one.
  private static func shortest(_ number: Double) -> (digits: String, exponent: Int) {
    guard number != 0 else { return ("0", 0) }
    let parts = number.description.split(separator: "e")
    let fields = parts[0].split(separator: ".")
    var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
    exponent += fields[0].count - 1
    var digits = fields.joined()
    while digits.count > 1, digits.hasPrefix("0") {
      digits.removeFirst()
      exponent -= 1
    }
    while digits.count > 1, digits.hasSuffix("0") { digits.removeLast() }
    return (digits, exponent)
  }

  /// Returns the number of a text as `float` of Python does, or `nil` if it is none.
  static func parse(_ text: TemplateText) -> Double? {
    guard let digits = digits(text) else { return nil }
    switch digits.lowercased() {
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    case "nan", "+nan", "-nan": return .nan
    default: break
    }
    let allowed = digits.utf8.allSatisfy { byte in
      "0123456789.eE+-".utf8.contains(byte)
    }
    return allowed ? Double(digits) : nil
  }

  /// Returns the text without spaces around it and the underscores between digits, or `nil` if an underscore is
  /// elsewhere.
  static func digits(_ text: TemplateText) -> String? {
    let scalars = text.scalars
    guard let first = scalars.firstIndex(where: { !$0.isPythonSpace }),
      let last = scalars.lastIndex(where: { !$0.isPythonSpace })
    else { return nil }
    var digits = ""
    for index in first...last {
      guard scalars[index] == "_" else {
        digits.unicodeScalars.append(scalars[index])
        continue
      }
      let isBetween =
        index > first && index < last && scalars[index - 1].properties.isASCIIHexDigit
        && scalars[index + 1].properties.isASCIIHexDigit
      guard isBetween else { return nil }
    }
    return digits
  }

  /// Returns a number rounded to digits after the point, halves to the even digit.
  ///
  /// The product with the power of ten is exact, so that numbers that only look like halves are rounded as they are.
  static func rounded(_ number: Double, digits: Int) -> Double {
    guard number != 0, digits <= 20, number.magnitude < 0x1p53 else { return number }
    let shift = 52 - Int(number.exponent)
    guard shift > 0 else { return number }
    guard shift < 126 else { return Double(signOf: number, magnitudeOf: 0) }
    var product = Int128(number.significandBitPattern | 1 << 52)
    for _ in 0..<digits { product *= 10 }
    let unit: Int128 = 1 << Int128(shift)
    var (quotient, rest) = product.quotientAndRemainder(dividingBy: unit)
    rest = 2 * rest - unit
    if rest > 0 || rest == 0 && quotient % 2 == 1 { quotient += 1 }
    let magnitude = Double("\(quotient)e-\(digits)") ?? number.magnitude
    return Double(signOf: number, magnitudeOf: magnitude)
  }
}
