/// What a `Content-Type` says: a kind such as `image/png`, and parameters.
package struct MediaType: Sendable, Hashable {
  /// The kind, in small letters, such as `image/png`.
  package let name: String
  /// What else is said, by names in small letters.
  package let parameters: [String: String]

  /// The kind that a field names; `nil` when it is broken.
  package init?(_ text: String) {
    guard let value = FieldValue(text) else { return nil }
    let words = value.word.split(separator: "/", omittingEmptySubsequences: false)
    guard words.count == 2, words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isToken) })
    else { return nil }
    (name, parameters) = (value.word.lowercased(), value.parameters)
  }

  /// Whether it is some kind of picture.
  package var isPicture: Bool { name.hasPrefix("image/") }
}
