extension JSONParser {
  /// Reads `true`, `false` or `null`.
  mutating func readWord() throws(JSONError) {
    let start = offset
    let word = word(from: start)
    let kind: JSONEntry.Kind
    switch word {
    case "true": kind = .yes
    case "false": kind = .no
    case "null": kind = .null
    default: throw unknownWord(word)
    }
    offset += word.utf8.count
    entries.append(JSONEntry(kind, start: start, end: offset, next: entries.count + 1))
  }

  /// The letters, digits and signs from a byte on, as many as a message shows.
  func word(from start: Int) -> String {
    let longest = 40
    let end = min(start + longest, bytes.count)
    return String(decoding: bytes[start..<end].prefix(while: isPartOfWord), as: UTF8.self)
  }

  /// Whether a byte right after a number or word makes it something else.
  func isPartOfWord(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == ASCII.dot || byte == ASCII.plus
      || byte == ASCII.minus || byte == UInt8(ascii: "_")
  }

  private func unknownWord(_ word: String) -> JSONError {
    guard let first = word.utf8.first else { return unexpected("a value") }
    if first == ASCII.plus || first == ASCII.dot {
      return refusal(
        .invalidNumber, expected: "a number that begins with a digit or '-'", found: "'\(word)'")
    }
    switch word.lowercased() {
    case "nan", "inf", "infinity": return notFinite()
    case "true", "yes", "on": return unknownWord(word, suggestion: "write true")
    case "false", "no", "off": return unknownWord(word, suggestion: "write false")
    case "null", "none", "nil", "undefined": return unknownWord(word, suggestion: "write null")
    default: return unknownWord(word, suggestion: "a text stands in double quotes")
    }
  }

  private func unknownWord(_ word: String, suggestion: String) -> JSONError {
    refusal(.unknownWord, expected: "a value", found: "'\(word)'", suggestion: suggestion)
  }

  /// The refusal of a word that means a number without a value.
  func notFinite() -> JSONError {
    refusal(.notFinite, expected: "a number", found: "'\(word(from: offset))'")
  }
}
