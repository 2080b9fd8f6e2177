/// The digits of a number of any length.
struct NumberText: Sendable, Hashable {
  /// Digits, and at most one point for a number that is a word of the text.
  private(set) var text: String
  /// Whether the digits are counted with: those of others are only continued, such as those of telephone numbers.
  private(set) var isInteger: Bool

  /// Creates an integer.
  init(_ value: Int) { (text, isInteger) = ("\(value)", true) }

  /// Creates digits that are continued.
  init(continuing number: NumberText?, _ digits: String) {
    // An integer of zero does not precede other digits.
    let start = number.map { $0.isZero ? "" : $0.text } ?? ""
    (text, isInteger) = (start + digits, false)
  }

  /// Creates a power of ten.
  init(power exponent: Int) {
    (text, isInteger) = ("1" + String(repeating: "0", count: exponent), true)
  }

  /// Creates the number of a word of digits, with or without decimals; `nil` for other words.
  init?(digits word: Substring) {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2,
      parts.allSatisfy({ part in
        !part.isEmpty && part.unicodeScalars.allSatisfy(\.isDigit)
      })
    else { return nil }
    let digits = parts.map { part in
      part.unicodeScalars.map { "\(Int($0.properties.numericValue ?? 0))" }.joined()
    }
    isInteger = digits.count == 1 || digits[1].allSatisfy { $0 == "0" }
    text = isInteger ? Self.withoutZeros(digits[0]) : digits.joined(separator: ".")
  }

  private init(integer text: String) { (self.text, isInteger) = (text, true) }

  /// Whether the number is an integer of zero.
  var isZero: Bool { isInteger && text == "0" }

  /// Whether decimals follow.
  var endsWithPoint: Bool { !isInteger && text.hasSuffix(".") }

  /// Returns the number after a part below a power of ten, whose digits replace zeros or continue the number.
  func adding(_ part: Int, below digits: Int) -> NumberText {
    guard isInteger, text.suffix(digits).allSatisfy({ $0 == "0" }) else {
      return NumberText(continuing: self, "\(part)")
    }
    return NumberText(integer: text.dropLast(digits) + "\(part)")
  }

  /// Returns the digits with another one in place of the last, which is zero.
  func replacingLast(with digit: Int) -> NumberText {
    NumberText(continuing: nil, text.dropLast() + "\(digit)")
  }

  /// Returns the number with its last three digits multiplied by a power of ten.
  func multiplyingThousands(byPower exponent: Int) -> NumberText {
    let (high, low) = (text.dropLast(3), Self.withoutZeros(String(text.suffix(3))))
    let product = low == "0" ? "0" : low + String(repeating: "0", count: exponent)
    return NumberText(integer: Self.sum(high.isEmpty ? "0" : high + "000", product))
  }

  /// Returns digits, possibly with decimals, multiplied by a power of ten; `nil` if the product is no integer.
  func multiplied(byPower exponent: Int) -> NumberText? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, text != ".",
      parts.allSatisfy({ $0.unicodeScalars.allSatisfy(\.isASCIIDigit) })
    else { return nil }
    let decimals = parts.count == 2 ? String(parts[1]) : ""
    guard decimals.dropFirst(exponent).allSatisfy({ $0 == "0" }) else { return nil }
    let shifted = decimals.prefix(exponent)
    let zeros = String(repeating: "0", count: exponent - shifted.count)
    return NumberText(integer: Self.withoutZeros(parts[0] + shifted + zeros))
  }

  private static func withoutZeros(_ digits: String) -> String {
    let rest = digits.drop { $0 == "0" }
    return rest.isEmpty ? "0" : String(rest)
  }

  /// Returns the sum of two integers.
  private static func sum(_ one: String, _ other: String) -> String {
    let (one, other) = (Array(one.utf8.reversed()), Array(other.utf8.reversed()))
    var (result, carry): ([UInt8], UInt8) = ([], 0)
    for index in 0..<max(one.count, other.count) {
      var digit = carry
      if index < one.count { digit += one[index] - 48 }
      if index < other.count { digit += other[index] - 48 }
      (carry, digit) = (digit / 10, digit % 10)
      result.append(digit + 48)
    }
    if carry > 0 { result.append(carry + 48) }
    return withoutZeros(String(decoding: result.reversed(), as: UTF8.self))
  }
}
