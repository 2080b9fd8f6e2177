extension JSONWriter {
  /// Appends a string in quotes, with what JSON wants escaped.
  mutating func appendQuoted(_ text: String) {
    append(ASCII.quote)
    for byte in text.utf8 {
      switch byte {
      case ASCII.quote, ASCII.backslash: append([ASCII.backslash, byte])
      case ..<ASCII.space: append(JSONWriter.escape(of: byte))
      default: append(byte)
      }
    }
    append(ASCII.quote)
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
