internal import TensorIOSystem

/// Addresses within the studio.
enum WebPath {
  /// A word as it stands in an address.
  static func encoded(_ word: String) -> String {
    word.utf8.map { byte in
      isPlain(byte)
        ? String(Unicode.Scalar(byte)) : "%" + byte.hexadecimal
    }.joined()
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~".utf8.contains(byte)
    }
  }
}
