/// The printable characters that stand for bytes in byte-level vocabularies.
///
/// Printable characters of Latin-1 stand for themselves, and the other 68 bytes, in order, for the scalars from U+0100.
enum ByteAlphabet {
  private static func isPrintable(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x7E, 0xA1...0xAC, 0xAE...0xFF: true
    default: false
    }
  }

  /// The bytes that the scalars from U+0100 stand for.
  private static let shifted = (UInt8.min...UInt8.max).filter { !isPrintable($0) }

  /// The character that stands for each byte.
  static let scalars: [UInt32] = {
    var next: UInt32 = 0x100
    return (UInt8.min...UInt8.max).map { byte in
      guard !isPrintable(byte) else { return UInt32(byte) }
      next += 1
      return next - 1
    }
  }()

  /// Adds the bytes of a token in UTF-8 to others; returns whether each character stands for a byte.
  static func append(_ token: ArraySlice<UInt8>, to bytes: inout [UInt8]) -> Bool {
    let start = bytes.count
    var index = token.startIndex
    while index < token.endIndex {
      var scalar = UInt32(token[index])
      index += 1
      if scalar >= 0x80 {
        // Characters beyond U+07FF stand for no bytes.
        guard scalar < 0xE0, index < token.endIndex else { return cancel(at: start, &bytes) }
        scalar = (scalar & 0x1F) << 6 | UInt32(token[index] & 0x3F)
        index += 1
      }
      if let byte = UInt8(exactly: scalar) {
        guard isPrintable(byte) else { return cancel(at: start, &bytes) }
        bytes.append(byte)
      } else {
        let place = Int(scalar) - 0x100
        guard shifted.indices.contains(place) else { return cancel(at: start, &bytes) }
        bytes.append(shifted[place])
      }
    }
    return true
  }

  private static func cancel(at start: Int, _ bytes: inout [UInt8]) -> Bool {
    bytes.removeSubrange(start...)
    return false
  }
}
