extension JSONParser {
  /// Reads a string, whose opening quote is at hand.
  mutating func readString() throws(JSONError) {
    let start = offset
    var kind = JSONEntry.Kind.plainString
    offset += 1
    while true {
      skipPlainText()
      switch next {
      case ASCII.quote:
        offset += 1
        entries.append(JSONEntry(kind, start: start, end: offset, next: entries.count + 1))
        return
      case ASCII.backslash:
        kind = .escapedString
        try skipEscape()
      case .some(let byte) where byte >= 0x80: try skipMultibyteCharacter()
      case .some: throw controlCharacter()
      case nil:
        offset = start
        throw refusal(.unterminatedString, expected: "a closing '\"'", found: "the end of the text")
      }
    }
  }

  /// Goes past the characters that stand for themselves and take one byte.
  private mutating func skipPlainText() {
    let text = bytes
    let span = text.span
    var index = offset
    while index < span.count {
      let byte = span[index]
      if byte < ASCII.space || byte >= 0x80 || byte == ASCII.quote || byte == ASCII.backslash {
        break
      }
      index += 1
    }
    offset = index
  }

  private mutating func skipEscape() throws(JSONError) {
    switch JSONEscape.read(bytes[...], at: offset) {
    case .success(let escape): offset += escape.length
    case .failure(.unknown):
      throw refusal(
        .invalidEscape, expected: #"one of \" \\ \/ \b \f \n \r \t \uXXXX"#, found: excerpt(6))
    case .failure(.loneSurrogate):
      throw refusal(
        .loneSurrogate, expected: "both halves of a surrogate pair", found: excerpt(6))
    case .failure(.nul):
      throw refusal(.nulCharacter, expected: "a character other than NUL", found: excerpt(6))
    }
  }

  private mutating func skipMultibyteCharacter() throws(JSONError) {
    guard let length = UTF8Form.length(of: bytes, at: offset) else {
      throw refusal(
        .invalidUTF8, expected: "UTF-8", found: "the byte \(hexadecimal(bytes[offset]))")
    }
    offset += length
  }

  private func controlCharacter() -> JSONError {
    let byte = bytes[offset]
    return refusal(
      byte == 0 ? .nulCharacter : .controlCharacter,
      expected: "a closing '\"' or a printable character", found: "the byte \(hexadecimal(byte))",
      suggestion: byte == 0 ? nil : "a line break inside a string is written \\n, a tab \\t")
  }
}

/// The form of UTF-8's characters of several bytes.
enum UTF8Form {
  /// The length of a character of two to four bytes, or `nil` when it is none: cut short,
  /// longer than it need be, half of a surrogate pair, or beyond Unicode.
  static func length(of text: [UInt8], at index: Int) -> Int? {
    guard let form = form(of: text[index]), index + form.length <= text.count,
      form.second.contains(text[index + 1])
    else { return nil }
    for continuation in text[index + 1..<index + form.length]
    where continuation & 0xC0 != 0x80 {
      return nil
    }
    return form.length
  }

  /// What a first byte says of the length and of the second byte.
  private static func form(of first: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
    switch first {
    case 0xC2...0xDF: (2, 0x80...0xBF)
    case 0xE0: (3, 0xA0...0xBF)
    case 0xED: (3, 0x80...0x9F)
    case 0xE1...0xEF: (3, 0x80...0xBF)
    case 0xF0: (4, 0x90...0xBF)
    case 0xF1...0xF3: (4, 0x80...0xBF)
    case 0xF4: (4, 0x80...0x8F)
    default: nil
    }
  }
}
