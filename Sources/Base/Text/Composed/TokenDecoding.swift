/// A step that turns tokens into text.
enum TokenDecoding: Sendable {
  /// Pieces of words with a prefix are joined with the piece before them; other pieces follow a space.
  case wordPieces(prefix: String, removesSpaces: Bool)
  /// A character stands for a space, except in the first token if `dropsFirst`.
  case spaceMark(Unicode.Scalar, dropsFirst: Bool)
  /// Tokens such as `<0x41>` stand for bytes.
  case bytes
  /// Characters of tokens stand for bytes.
  case spelledBytes
  /// All tokens are one.
  case joined
  /// Up to a number of a character are removed from both ends of a token.
  case stripped(Unicode.Scalar, start: Int, stop: Int)
  /// A string is replaced.
  case replaced(String, by: String)
  /// A suffix ends words.
  case wordEnds(suffix: String)

  /// Returns tokens that are closer to text.
  func decode(_ tokens: [String]) -> [String] {
    switch self {
    case .wordPieces(let prefix, let removesSpaces):
      return tokens.enumerated().map { index, token in
        var text = token
        if index > 0 {
          text = token.continuation(after: prefix) ?? " " + token
        }
        return removesSpaces ? Self.cleaned(text) : text
      }
    case .spaceMark(let mark, let dropsFirst):
      return tokens.enumerated().map { index, token in
        var text = String.UnicodeScalarView()
        for scalar in token.unicodeScalars {
          if scalar != mark {
            text.append(scalar)
          } else if index > 0 || !dropsFirst {
            text.append(" ")
          }
        }
        return String(text)
      }
    case .bytes: return Self.joiningBytes(tokens)
    case .spelledBytes:
      var bytes: [UInt8] = []
      for token in tokens where !ByteAlphabet.append(Array(token.utf8)[...], to: &bytes) {
        bytes += token.utf8
      }
      return [String(decoding: bytes, as: UTF8.self)]
    case .joined: return [tokens.joined()]
    case .stripped(let character, let start, let stop):
      return tokens.map { Self.strip($0, character, start, stop) }
    case .replaced(let text, let content): return tokens.map { Self.replacing(text, content, $0) }
    case .wordEnds(let suffix):
      return tokens.enumerated().map { index, token in
        Self.replacing(suffix, index == tokens.count - 1 ? "" : " ", token)
      }
    }
  }

  private static func cleaned(_ token: String) -> String {
    var text = token
    for sign in [" .", " ?", " !", " ,"] { text = replacing(sign, String(sign.dropFirst()), text) }
    text = replacing(" ' ", "'", text)
    text = replacing(" n't", "n't", text)
    text = replacing(" 'm", "'m", text)
    text = replacing(" do not", " don't", text)
    for end in ["'s", "'ve", "'re"] { text = replacing(" " + end, end, text) }
    return text
  }

  /// Returns a text with each occurrence of another one replaced.
  private static func replacing(_ old: String, _ new: String, _ text: String) -> String {
    let (old, new) = (Array(old.utf8), Array(new.utf8))
    guard !old.isEmpty else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index...].starts(with: old) {
        result += new
        index += old.count
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func strip(
    _ token: String, _ scalar: Unicode.Scalar, _ start: Int, _ stop: Int
  ) -> String {
    var scalars = Array(token.unicodeScalars)[...]
    for _ in 0..<start where scalars.first == scalar { scalars.removeFirst() }
    for _ in 0..<stop where scalars.last == scalar { scalars.removeLast() }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  private static func joiningBytes(_ tokens: [String]) -> [String] {
    var result: [String] = []
    var bytes: [UInt8] = []
    func flush() {
      guard !bytes.isEmpty else { return }
      if UTF8Text.firstInvalidOffset(in: bytes.span) == nil {
        result.append(String(decoding: bytes, as: UTF8.self))
      } else {
        for _ in bytes { result.append("\u{FFFD}") }
      }
      bytes = []
    }
    for token in tokens {
      if let byte = byte(of: token) {
        bytes.append(byte)
      } else {
        flush()
        result.append(token)
      }
    }
    flush()
    return result
  }

  /// Returns the byte that a token such as `<0x41>` stands for, or `nil` for other tokens.
  static func byte(of token: String) -> UInt8? {
    guard token.utf8.count == 6, token.hasPrefix("<0x"), token.hasSuffix(">") else { return nil }
    return UInt8(token.dropFirst(3).dropLast(), radix: 16)
  }
}

extension String {
  /// Returns the text after a prefix, or `nil` if the text does not begin with its scalars.
  ///
  /// A mark that follows the prefix may form one character with the end of the prefix.
  func continuation(after prefix: String) -> String? {
    guard utf8.starts(with: prefix.utf8) else { return nil }
    return String(decoding: utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }
}
