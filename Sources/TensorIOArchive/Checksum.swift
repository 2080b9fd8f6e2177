/// The checksum of zip files, CRC-32, of bytes that come in pieces.
struct Checksum: Sendable {
  private var state: UInt32 = .max

  /// The checksum of the bytes so far.
  var value: UInt32 { ~state }

  /// Adds bytes.
  mutating func add(_ bytes: some Sequence<UInt8>) {
    var state = state
    for byte in bytes {
      state = Self.table[Int(UInt8(truncatingIfNeeded: state) ^ byte)] ^ (state >> 8)
    }
    self.state = state
  }

  /// What each byte does to the checksum.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { rest, _ in
      rest & 1 == 1 ? 0xEDB8_8320 ^ (rest >> 1) : rest >> 1
    }
  }
}
