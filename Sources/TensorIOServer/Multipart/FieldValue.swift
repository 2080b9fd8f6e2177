/// The value of a field that is a word with parameters, such as `form-data; name="a"`.
struct FieldValue {
  /// The word before the first semicolon.
  let word: String
  /// The parameters, by names in small letters.
  let parameters: [String: String]

  /// Takes a value apart; `nil` when it is broken, or names a parameter twice.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    word = rest.take { $0 != .semicolon }.trimmed.text
    var parameters: [String: String] = [:]
    while rest.popFirst() != nil {
      _ = rest.take(while: \.isBlank)
      let name = rest.take(while: \.isToken).text.lowercased()
      guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = rest.takeValue(),
        parameters.updateValue(value, forKey: name) == nil
      else { return nil }
      _ = rest.take(while: \.isBlank)
      guard rest.isEmpty || rest.first == .semicolon else { return nil }
    }
    self.parameters = parameters
  }
}

extension ArraySlice<UInt8> {
  /// Takes the bytes at the beginning that are wanted.
  fileprivate mutating func take(while isWanted: (UInt8) -> Bool) -> Self {
    let taken = prefix(while: isWanted)
    self = self[taken.endIndex...]
    return taken
  }

  /// Takes a word, or what stands in quotes.
  fileprivate mutating func takeValue() -> String? {
    guard first == .quote else {
      let word = take(while: \.isToken)
      return word.isEmpty ? nil : word.text
    }
    removeFirst()
    return takeQuoted()
  }

  /// Takes all before the next quote; a backslash is one, unless a quote or another follows it.
  private mutating func takeQuoted() -> String? {
    var bytes: [UInt8] = []
    while let byte = popFirst() {
      if byte == .quote { return bytes[...].text }
      let isEscape = byte == .backslash && (first == .quote || first == .backslash)
      bytes.append(isEscape ? removeFirst() : byte)
    }
    return nil
  }
}

extension UInt8 {
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let backslash = UInt8(ascii: "\\")
}
