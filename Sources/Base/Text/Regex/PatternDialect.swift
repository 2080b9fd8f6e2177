/// The language of a pattern.
enum PatternDialect: Sendable {
  /// The subset of RE2's that the metadata of TensorFlow Lite models uses: classes are of ASCII.
  case re2
  /// The subset of Oniguruma's that `tokenizer.json` files use: classes are of Unicode.
  case oniguruma
  /// The subset of ECMAScript's with which generated texts are constrained: classes are of ASCII, except white space.
  case ecmaScript

  /// Whether a pattern describes a whole text, and not what is found in it.
  var isWhole: Bool { self == .ecmaScript }

  /// The maximum length of a pattern in bytes.
  var maxLength: Int { self == .re2 ? 1_000 : 4_000 }
}
