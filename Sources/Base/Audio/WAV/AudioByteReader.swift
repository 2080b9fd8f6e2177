/// Reads numbers from untrusted bytes.
///
/// Reading out of bounds returns `nil` and never traps.
struct AudioByteReader {
  let bytes: [UInt8]
  let isBigEndian: Bool

  init(_ bytes: [UInt8], isBigEndian: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  var count: Int { bytes.count }

  func uint16(at position: Int) -> UInt16? {
    number(at: position, byteCount: 2).map { UInt16(truncatingIfNeeded: $0) }
  }

  func uint32(at position: Int) -> UInt32? {
    number(at: position, byteCount: 4).map { UInt32(truncatingIfNeeded: $0) }
  }

  func uint64(at position: Int) -> UInt64? {
    number(at: position, byteCount: 8)
  }

  /// Returns four characters; empty at the end of the bytes.
  static func text(of bytes: [UInt8], at position: Int) -> String {
    guard position >= 0, position <= bytes.count - 4 else { return "" }
    return String(decoding: bytes[position..<position + 4], as: UTF8.self)
  }

  private func number(at position: Int, byteCount: Int) -> UInt64? {
    guard position >= 0, position <= bytes.count - byteCount else { return nil }
    return (0..<byteCount).reduce(0) { number, index in
      number << 8 | UInt64(bytes[position + (isBigEndian ? index : byteCount - 1 - index)])
    }
  }
}
