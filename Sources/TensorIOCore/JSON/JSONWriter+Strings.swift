extension JSONWriter {
  /// Appends a string in quotes, with what JSON wants escaped.
  mutating func appendQuoted(_ text: String) {
    append(ASCII.quote)
    let start = bytes.count
    append(text.utf8)
    // Few strings have anything to escape, and a string is copied faster than its bytes are.
    if isAnythingEscaped(from: start) {
      dropLast(bytes.count - start)
      appendEscaped(text)
    }
    append(ASCII.quote)
  }

  private func isAnythingEscaped(from start: Int) -> Bool {
    for index in start..<bytes.count where JSONWriter.isEscaped(bytes[index]) { return true }
    return false
  }

  private mutating func appendEscaped(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case ASCII.quote, ASCII.backslash: append([ASCII.backslash, byte])
      case ..<ASCII.space: append(JSONWriter.escape(of: byte))
      default: append(byte)
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash
  }

  /// How a control character is written.
  private static func escape(of byte: UInt8) -> [UInt8] {
    switch byte {
    case ASCII.backspace: Array(#"\b"#.utf8)
    case ASCII.tab: Array(#"\t"#.utf8)
    case ASCII.lineFeed: Array(#"\n"#.utf8)
    case ASCII.formFeed: Array(#"\f"#.utf8)
    case ASCII.carriageReturn: Array(#"\r"#.utf8)
    default: Array((byte < 0x10 ? #"\u000"# : #"\u00"#).utf8) + Array(String(byte, radix: 16).utf8)
    }
  }
}
