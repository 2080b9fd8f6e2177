/// The value of `Content-Type`: a media type such as `image/png` and parameters.
package struct MediaType: Sendable, Hashable {
  /// The media type in lowercase, such as `image/png`.
  package let name: String
  /// The parameters, by lowercase name.
  package let parameters: [String: String]

  /// Parses a header value; `nil` if it is malformed.
  package init?(_ text: String) {
    guard let value = ParameterizedHeaderValue(text) else { return nil }
    let parts = value.value.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isToken) })
    else { return nil }
    (name, parameters) = (value.value.lowercased(), value.parameters)
  }

  /// Whether the type is an image type.
  package var isImage: Bool { name.hasPrefix("image/") }
}

/// A header value with parameters, such as `form-data; name="a"`.
struct ParameterizedHeaderValue {
  /// The part before the first semicolon.
  let value: String
  /// The parameters, by lowercase name.
  let parameters: [String: String]

  /// Parses a value; `nil` if it is malformed or repeats a parameter.
  init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    value = rest.removePrefix { $0 != .semicolon }.trimmed.utf8Text
    var parameters: [String: String] = [:]
    while rest.popFirst() != nil {
      _ = rest.removePrefix(while: \.isWhitespace)
      let name = rest.removePrefix(while: \.isToken).utf8Text.lowercased()
      guard !name.isEmpty, rest.popFirst() == UInt8(ascii: "="), let value = rest.removeValue(),
        parameters.updateValue(value, forKey: name) == nil
      else { return nil }
      _ = rest.removePrefix(while: \.isWhitespace)
      guard rest.isEmpty || rest.first == .semicolon else { return nil }
    }
    self.parameters = parameters
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns the leading bytes that satisfy a predicate.
  fileprivate mutating func removePrefix(while predicate: (UInt8) -> Bool) -> Self {
    let removed = prefix(while: predicate)
    self = self[removed.endIndex...]
    return removed
  }

  /// Removes and returns a token or a quoted string.
  fileprivate mutating func removeValue() -> String? {
    guard first == .quote else {
      let token = removePrefix(while: \.isToken)
      return token.isEmpty ? nil : token.utf8Text
    }
    removeFirst()
    return removeQuotedString()
  }

  /// Removes everything up to the closing quote.
  ///
  /// A backslash escapes only a quote or a backslash.
  private mutating func removeQuotedString() -> String? {
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
