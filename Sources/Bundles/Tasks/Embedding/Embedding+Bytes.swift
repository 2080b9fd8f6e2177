extension Embedding {
  /// The elements as 32-bit floating-point numbers in little-endian order.
  package var littleEndianBytes: [UInt8] {
    values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
  }

  /// Creates an embedding from 32-bit floating-point numbers in little-endian order.
  package init(littleEndianBytes bytes: [UInt8]) {
    self.init(
      stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { offset in
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[offset + $1]) << ($1 * 8) }
        return Float(bitPattern: bits)
      })
  }
}
