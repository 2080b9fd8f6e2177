/// What a `Content-Type` says: a kind such as `image/png`, and parameters.
package struct MediaType: Sendable, Hashable {
  /// The kind, in small letters, such as `image/png`.
  package let name: String
  /// What else is said, by names in small letters.
  package let parameters: [String: String]

  /// The kind that a field names; `nil` when it is broken.
  package init?(_ text: String) {
    guard let value = ParameterizedHeaderValue(text) else { return nil }
    let words = value.value.split(separator: "/", omittingEmptySubsequences: false)
    guard words.count == 2, words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isToken) })
    else { return nil }
    (name, parameters) = (value.value.lowercased(), value.parameters)
  }

  /// Whether it is some kind of picture.
  package var isImage: Bool { name.hasPrefix("image/") }
}

/// The value of a field that is a word with parameters, such as `form-data; name="a"`.
struct ParameterizedHeaderValue {
  /// The word before the first semicolon.
  let value: String
  /// The parameters, by names in small letters.
  let parameters: [String: String]

  /// Takes a value apart; `nil` when it is broken, or names a parameter twice.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    value = rest.take { $0 != .semicolon }.trimmed.utf8Text
    var parameters: [String: String] = [:]
    while rest.popFirst() != nil {
      _ = rest.take(while: \.isWhitespace)
      let name = rest.take(while: \.isToken).utf8Text.lowercased()
      guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = rest.takeValue(),
        parameters.updateValue(value, forKey: name) == nil
      else { return nil }
      _ = rest.take(while: \.isWhitespace)
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
      return word.isEmpty ? nil : word.utf8Text
    }
    removeFirst()
    return takeQuoted()
  }

  /// Takes all before the next quote; a backslash is one, unless a quote or another follows it.
  private mutating func takeQuoted() -> String? {
    var bytes: [UInt8] = []
    while let byte = popFirst() {
      if byte == .quote { return bytes[...].utf8Text }
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
