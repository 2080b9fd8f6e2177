/// The ASCII characters used in JSON.
package enum ASCII {
  static let backspace: UInt8 = 0x08
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  static let formFeed: UInt8 = 0x0C
  package static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20
  static let quote = UInt8(ascii: "\"")
  package static let backslash = UInt8(ascii: "\\")
  package static let slash = UInt8(ascii: "/")
  static let star = UInt8(ascii: "*")
  static let comma = UInt8(ascii: ",")
  static let colon = UInt8(ascii: ":")
  static let minus = UInt8(ascii: "-")
  static let plus = UInt8(ascii: "+")
  package static let dot = UInt8(ascii: ".")
  package static let zero = UInt8(ascii: "0")
  static let nine = UInt8(ascii: "9")
  static let openBracket = UInt8(ascii: "[")
  static let closeBracket = UInt8(ascii: "]")
  static let openBrace = UInt8(ascii: "{")
  static let closeBrace = UInt8(ascii: "}")
}

extension UInt8 {
  /// Whether the byte is a decimal digit.
  package var isDigit: Bool { ASCII.zero <= self && self <= ASCII.nine }

  /// Whether the byte is `e` or `E`, which precedes an exponent.
  var isExponentSign: Bool { self | 0x20 == UInt8(ascii: "e") }

  /// Whether the byte is an ASCII letter.
  var isLetter: Bool { UInt8(ascii: "a") <= self | 0x20 && self | 0x20 <= UInt8(ascii: "z") }

  /// The value of the hexadecimal digit, or `nil` for other bytes.
  package var hexadecimalValue: UInt32? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a") + 10)
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A") + 10)
    default: nil
    }
  }
}
