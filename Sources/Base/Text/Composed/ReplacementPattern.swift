/// The text that a normalization replaces.
enum ReplacementPattern: Sendable {
  /// A string.
  case string([UInt8])
  /// At least two of a byte of ASCII in succession.
  case run(UInt8)
  /// A regular expression.
  case expression(DelimiterMatcher)

  /// White space outside ASCII, which `\s` matches as well.
  private static let spaces =
    "[\\t-\\r \u{1C}-\u{1F}\u{85}\u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}]"

  /// Reads the regular expression of a file.
  ///
  /// The expressions are those of ``DelimiterParser``, `\s`, and an expression for one character followed by `{2,}`.
  ///
  /// - Throws: ``TokenizerError`` for other expressions.
  static func expression(of pattern: String) throws(TokenizerError) -> ReplacementPattern {
    var pattern = pattern
    if pattern.hasSuffix("{2,}") {
      let body = String(pattern.dropLast(4))
      if body.utf8.count == 1, let byte = body.utf8.first, !"\\.[]()*+?{}^$|".utf8.contains(byte) {
        return .run(byte)
      }
      pattern = body + body + "+"
      guard body == "\\s" else { throw unsupported(pattern) }
    }
    let parts = pattern.components(around: "\\s")
    guard !parts.contains(where: { $0.contains("\\") || $0.contains("[") }) || parts.count == 1
    else { throw unsupported(pattern) }
    return .expression(try DelimiterMatcher(pattern: parts.joined(separator: Self.spaces)))
  }

  private static func unsupported(_ pattern: String) -> TokenizerError {
    TokenizerError(.unsupported(component: "the regular expression '\(pattern)'"))
  }

  /// Returns the locations of the pattern in a valid text, in order.
  func matches(in text: Span<UInt8>) throws(TokenizerError) -> [Range<Int>] {
    switch self {
    case .string(let string): return Self.matches(of: string, in: text)
    case .run(let byte): return Self.runs(of: byte, in: text)
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

  private static func runs(of byte: UInt8, in text: Span<UInt8>) -> [Range<Int>] {
    var matches: [Range<Int>] = []
    var index = 0
    while index < text.count {
      var end = index
      while end < text.count, text[end] == byte { end += 1 }
      if end - index >= 2 { matches.append(index..<end) }
      index = max(end, index + 1)
    }
    return matches
  }
}

extension String {
  /// Returns the texts between the places of another one.
  fileprivate func components(around separator: String) -> [String] {
    var components = [""]
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(separator) {
        rest = rest.dropFirst(separator.count)
        components.append("")
      } else {
        components[components.count - 1].append(rest.removeFirst())
      }
    }
    return components
  }
}
