/// A step that turns tokens into text.
package enum TokenDecoding: Sendable {
  /// Tokens follow each other with a space.
  case separated
  /// Pieces of words with a prefix are joined with the piece before them; other pieces follow a space.
  case wordPieces(prefix: String, removesSpaces: Bool)
  /// A character stands for a space, except in the first token if `dropsFirst`.
  case spaceMark(Unicode.Scalar, dropsFirst: Bool)
  /// Tokens such as `<0x41>` stand for bytes.
  case byteFallback
  /// Tokens are bytes of UTF-8, which may begin and end within a character, or characters that stand for bytes.
  case utf8(isSpelled: Bool)
  /// All tokens are one.
  case joined
  /// Up to a number of a character are removed from both ends of a token.
  case stripped(Unicode.Scalar, start: Int, stop: Int)
  /// A string is replaced.
  case replaced(String, by: String)
  /// A suffix ends words.
  case wordEnds(suffix: String)

  /// Returns a token that is closer to text.
  ///
  /// - Parameters:
  ///   - token: The token.
  ///   - isFirst: Whether no token is before it.
  ///   - isLast: Whether no token is after it.
  /// - Returns: The decoded token.
  func decode(_ token: [UInt8], isFirst: Bool, isLast: Bool) -> [UInt8] {
    switch self {
    case .separated: return isFirst ? token : [UInt8(ascii: " ")] + token
    case .wordPieces(let prefix, let removesSpaces):
      var text = token
      if !isFirst {
        text =
          token.starts(with: prefix.utf8)
          ? Array(token.dropFirst(prefix.utf8.count)) : [UInt8(ascii: " ")] + token
      }
      return removesSpaces ? Self.cleaned(text) : text
    case .spaceMark(let mark, let dropsFirst):
      return Self.replacing(
        String(Character(mark)), by: isFirst && dropsFirst ? "" : " ", in: token)
    case .byteFallback: return Self.byte(of: token).map { [$0] } ?? token
    case .utf8(let isSpelled):
      var bytes: [UInt8] = []
      return isSpelled && ByteAlphabet.append(token[...], to: &bytes) ? bytes : token
    case .joined: return token
    case .stripped(let character, let start, let stop):
      let scalar = Array(String(Character(character)).utf8)
      var rest = token[...]
      for _ in 0..<start where rest.starts(with: scalar) { rest = rest.dropFirst(scalar.count) }
      for _ in 0..<stop where rest.suffix(scalar.count).elementsEqual(scalar) {
        rest = rest.dropLast(scalar.count)
      }
      return Array(rest)
    case .replaced(let text, let content): return Self.replacing(text, by: content, in: token)
    case .wordEnds(let suffix): return Self.replacing(suffix, by: isLast ? "" : " ", in: token)
    }
  }

  private static func cleaned(_ token: [UInt8]) -> [UInt8] {
    var text = token
    for (old, new) in [
      (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"),
      (" 'm", "'m"), (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
    ] {
      text = replacing(old, by: new, in: text)
    }
    return text
  }

  /// Returns a text with each occurrence of another one replaced.
  private static func replacing(_ old: String, by new: String, in text: [UInt8]) -> [UInt8] {
    guard !old.isEmpty else { return text }
    var result: [UInt8] = []
    var rest = text[...]
    while !rest.isEmpty {
      if rest.starts(with: old.utf8) {
        result += new.utf8
        rest = rest.dropFirst(old.utf8.count)
      } else {
        result.append(rest.removeFirst())
      }
    }
    return result
  }

  /// Returns the byte that a token such as `<0x41>` stands for, or `nil` for other tokens.
  static func byte(of token: [UInt8]) -> UInt8? {
    guard token.count == 6, token.starts(with: "<0x".utf8), token.last == UInt8(ascii: ">") else {
      return nil
    }
    return UInt8(String(decoding: token[3..<5], as: UTF8.self), radix: 16)
  }
}
