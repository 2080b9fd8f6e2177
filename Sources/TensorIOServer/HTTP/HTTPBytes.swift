extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let colon = UInt8(ascii: ":")
  static let semicolon = UInt8(ascii: ";")

  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  /// Whether it may stand in a method and in the name of a field.
  var isToken: Bool {
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: isDigit || isLetter
    }
  }

  /// Whether it may stand in the value of a field.
  var isFieldText: Bool { self == .tab || (self >= .space && self != 0x7F) }

  var isBlank: Bool { self == .tab || self == .space }
}

extension ArraySlice<UInt8> {
  /// The bytes without the blanks around them.
  var trimmed: ArraySlice<UInt8> {
    var rest = self
    while rest.first?.isBlank == true { rest.removeFirst() }
    while rest.last?.isBlank == true { rest.removeLast() }
    return rest
  }

  var text: String { String(decoding: self, as: UTF8.self) }
}

extension String {
  /// Whether two texts are the same in capitals and in small letters.
  func isSameWord(as other: String) -> Bool {
    utf8.count == other.utf8.count
      && utf8.elementsEqual(other.utf8) { $0.inSmallLetters == $1.inSmallLetters }
  }

  /// The words of a list such as `keep-alive, close`.
  var listed: [String] { Array(utf8)[...].split(separator: UInt8(ascii: ",")).map(\.trimmed.text) }
}

extension UInt8 {
  fileprivate var inSmallLetters: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
