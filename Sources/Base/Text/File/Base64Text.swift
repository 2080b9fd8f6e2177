/// Bytes written as text with 64 characters (RFC 4648).
enum Base64Text {
  /// Returns the bytes of a text, or `nil` if it is malformed.
  static func bytes(of text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (buffer, bitCount) = (UInt32(0), 0)
    var padding = 0
    for character in text.utf8 {
      if character == UInt8(ascii: "=") {
        padding += 1
        continue
      }
      guard padding == 0, let value = value(of: character) else { return nil }
      buffer = buffer << 6 | value
      bitCount += 6
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bitCount)))
      }
    }
    return padding <= 2 && text.utf8.count % 4 == 0 ? bytes : nil
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
