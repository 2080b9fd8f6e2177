extension JSONParser {
  /// The refusal of what is at hand.
  func refusal(
    _ code: JSONError.Code, expected: String, found: String? = nil, suggestion: String? = nil
  ) -> JSONError {
    JSONError(
      code, at: JSONPosition(of: offset, in: bytes), pointer: pointer, expected: expected,
      found: found ?? foundHere, suggestion: suggestion)
  }

  /// The refusal of a byte that cannot stand where it does.
  func unexpected(_ expected: String) -> JSONError {
    guard let byte = next else {
      return refusal(.unexpectedEnd, expected: expected, suggestion: unclosed)
    }
    if isAtComment {
      return refusal(
        .comment, expected: expected, found: "a comment", suggestion: "JSON has no comments")
    }
    let isSingleQuote = byte == UInt8(ascii: "'")
    return refusal(
      .unexpectedCharacter, expected: expected,
      suggestion: isSingleQuote ? "texts stand in double quotes" : nil)
  }

  /// The refusal of a key that the object already has.
  func duplicate(of earlier: JSONEntry) -> JSONError {
    let first = JSONPosition(of: earlier.range.lowerBound, in: bytes)
    return refusal(
      .duplicateKey, expected: "every key once",
      found: "a second " + excerpt(of: entries[entries.count - 1]),
      suggestion: "its first value is at \(first); remove one of the two")
  }

  /// The refusal of a text that is too long to be looked at.
  func oversized() -> JSONError {
    refusal(
      .tooLarge, expected: "at most \(limits.bytes) bytes", found: "\(bytes.count) bytes")
  }

  /// The value that is being read, as a JSON Pointer.
  private var pointer: String {
    let inside = isInsideValue ? open[...] : open.dropLast()
    return inside.map { container in
      let token =
        container.isObject
        ? JSONPointer.escape(JSONText(entries[container.key], in: bytes).string)
        : String(container.count)
      return "/" + token
    }.joined()
  }

  /// Where the container begins that the text ends in.
  private var unclosed: String? {
    guard let container = open.last else { return nil }
    let start = entries[container.entry].range.lowerBound
    let position = JSONPosition(of: start, in: bytes)
    return "the \(container.isObject ? "object" : "array") begins at \(position)"
  }

  private var foundHere: String {
    guard let byte = next else { return "the end of the text" }
    guard byte > ASCII.space, byte != 0x7F else { return "the byte \(hexadecimal(byte))" }
    return "'\(excerpt(1))'"
  }

  /// The characters from a byte on, as many as a message shows.
  func excerpt(_ length: Int, from start: Int? = nil) -> String {
    let start = start ?? offset
    let longest = length * 4  // bytes of a character
    let end = min(start + longest, bytes.count)
    return shown(bytes[start..<end], length)
  }

  /// The text of an entry, as much as a message shows.
  private func excerpt(of entry: JSONEntry) -> String {
    shown(bytes[entry.range].prefix(160), 40)
  }

  /// NUL is shown as what is no text: messages become JSON, which may not have it.
  private func shown(_ bytes: ArraySlice<UInt8>, _ length: Int) -> String {
    let text = String(decoding: bytes, as: UTF8.self).prefix(length)
    return String(text.map { $0 == "\0" ? "\u{FFFD}" : $0 })
  }

  /// A byte as people write it.
  func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }
}
