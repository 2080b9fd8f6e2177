/// The label of a token, with the position in its section that a prefix tells: `B-` begins a section,
/// `I-` continues it, and `O` is outside of all sections.
struct TokenTag: Hashable {
  /// The label without its prefix.
  let label: String
  /// Whether the token begins a section.
  let begins: Bool
  /// Whether the token is outside of all sections.
  let isOutside: Bool

  init(_ text: String) {
    let isPrefixed = ["B-", "I-"].contains(text.prefix(2))
    label = isPrefixed ? String(text.dropFirst(2)) : text
    begins = text.hasPrefix("B-")
    isOutside = text == "O"
  }
}
