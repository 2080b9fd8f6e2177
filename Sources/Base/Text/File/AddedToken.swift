/// A token that is found in a text before the text is split into words.
struct AddedToken: Sendable, Hashable {
  /// The maximum length of a token in bytes.
  static let maxBytes = 1_024

  /// The text of the token.
  var content: String
  let id: Int32
  /// Whether the token has a role.
  let isSpecial: Bool
  /// Whether the token is found after the normalization of a text, in which its own text is normalized, too.
  let isNormalized: Bool
  /// Whether the token is not found within a word.
  let isSingleWord: Bool
  /// Whether white space before the token belongs to it.
  let stripsLeft: Bool
  /// Whether white space after the token belongs to it.
  let stripsRight: Bool
}
