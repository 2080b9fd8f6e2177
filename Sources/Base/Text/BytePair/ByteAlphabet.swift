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

  /// Returns the bytes of a token, or `nil` if a character stands for no byte.
  static func bytes(of token: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for scalar in token.unicodeScalars {
      if let byte = UInt8(exactly: scalar.value) {
        guard isPrintable(byte) else { return nil }
        bytes.append(byte)
      } else {
        let index = Int(scalar.value) - 0x100
        guard shifted.indices.contains(index) else { return nil }
        bytes.append(shifted[index])
      }
    }
    return bytes
  }
}
