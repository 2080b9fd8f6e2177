import CZlib

/// The incremental CRC-32 checksum of zip files.
struct CRC32: Sendable {
  private(set) var value: UInt32 = 0

  /// Adds bytes.
  mutating func update(_ bytes: [UInt8]) {
    value = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe UInt32(truncatingIfNeeded: crc32_z(UInt(value), bytes.baseAddress, bytes.count))
    }
  }
}
