/// The value of a field that is a word with parameters, such as `form-data; name="a"`.
struct FieldValue {
  /// The word before the first semicolon.
  let word: String
  /// The parameters, by names in small letters.
  let parameters: [String: String]

  /// Takes a value apart; `nil` when it is broken, or names a parameter twice.
  init?(_ text: some StringProtocol) {
    var rest = text.utf8[...]
    word = Self.text(rest.take { $0 != UInt8(ascii: ";") }).withoutBlanks
    var parameters: [String: String] = [:]
    while rest.popFirst() != nil {
      rest.skipBlanks()
      let name = Self.text(rest.take(while: \.isTokenByte)).lowercased()
      guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = Self.value(&rest),
        parameters.updateValue(value, forKey: name) == nil
      else { return nil }
      rest.skipBlanks()
      guard rest.first == nil || rest.first == UInt8(ascii: ";") else { return nil }
    }
    self.parameters = parameters
  }

  private static func value<Bytes: Collection<UInt8>>(_ rest: inout Bytes) -> String?
  where Bytes.SubSequence == Bytes {
    guard rest.first == UInt8(ascii: "\"") else {
      let word = rest.take(while: \.isTokenByte)
      return word.isEmpty ? nil : text(word)
    }
    rest.removeFirst()
    return quoted(&rest)
  }

  /// What stands in quotes; a backslash is one, unless a quote or another follows it.
  private static func quoted<Bytes: Collection<UInt8>>(_ rest: inout Bytes) -> String?
  where Bytes.SubSequence == Bytes {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == quote { return text(bytes) }
      if byte == backslash, let next = rest.first, next == quote || next == backslash {
        rest.removeFirst()
        bytes.append(next)
      } else {
        bytes.append(byte)
      }
    }
    return nil
  }

  private static func text(_ bytes: some Collection<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

extension Collection where Element == UInt8, SubSequence == Self {
  /// Takes the bytes at the beginning that are wanted.
  fileprivate mutating func take(while isWanted: (UInt8) -> Bool) -> Self {
    let taken = prefix(while: isWanted)
    self = self[taken.endIndex...]
    return taken
  }

  fileprivate mutating func skipBlanks() { _ = take(while: \.isBlank) }
}

extension StringProtocol {
  /// The text without the blanks and tabs around it.
  var withoutBlanks: String {
    var bytes = Array(utf8.drop(while: \.isBlank))
    while bytes.last?.isBlank == true { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension UInt8 {
  /// Whether it is a blank or a tab.
  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether a word of a head may hold it.
  var isTokenByte: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}
