/// The text that a normalization replaces, or at which a text is split.
enum TextPattern: Sendable {
  /// A string.
  case string([UInt8])
  /// A regular expression.
  case expression(PatternMatcher)

  /// Compiles the regular expression of a file.
  ///
  /// - Throws: ``TokenizerError`` if a part of the expression is not supported.
  static func expression(of pattern: String) throws(TokenizerError) -> TextPattern {
    do {
      return .expression(try PatternMatcher(pattern: pattern, dialect: .oniguruma))
    } catch {
      guard case .invalidPattern(let message, let offset) = error.reason else { throw error }
      throw TokenizerError(
        .unsupported(
          component: "the regular expression '\(pattern)' (at byte \(offset): \(message))"))
    }
  }

  /// Returns the locations of the pattern in a valid text, in order.
  func matches(in text: Span<UInt8>) throws(TokenizerError) -> [Range<Int>] {
    switch self {
    case .string(let string): return Self.matches(of: string, in: text)
    case .expression(let matcher): return try matcher.matches(in: text)
    }
  }

  private static func matches(of string: [UInt8], in text: Span<UInt8>) -> [Range<Int>] {
    guard let first = string.first else { return [] }
    var matches: [Range<Int>] = []
    var index = 0
    while index + string.count <= text.count {
      if text[index] == first,
        (1..<max(string.count, 1)).allSatisfy({ text[index + $0] == string[$0] })
      {
        matches.append(index..<index + string.count)
        index += string.count
      } else {
        index += 1
      }
    }
    return matches
  }
}
