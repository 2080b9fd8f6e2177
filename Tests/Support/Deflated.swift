/// Hand-written DEFLATE streams with a high compression ratio.
public enum DeflateStream {
  /// Returns a compressed stream of zeros and its uncompressed size: one literal and `runs` runs of
  /// 258 in a single block with fixed Huffman codes.
  public static func zeros(runs: Int) -> (packed: [UInt8], count: Int) {
    var bits: [Bool] = [true, true, false]  // last block, fixed codes
    bits += (0..<8).reversed().map { 0b0011_0000 >> $0 & 1 == 1 }  // the literal 0
    let run =
      (0..<8).reversed().map { 0b1100_0101 >> $0 & 1 == 1 }  // the length 258
      + [Bool](repeating: false, count: 5)  // the distance 1
    for _ in 0..<runs { bits += run }
    bits += [Bool](repeating: false, count: 7)  // end of block
    var bytes = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
    for (index, bit) in bits.enumerated() where bit { bytes[index / 8] |= 1 << (index % 8) }
    return (bytes, 1 + runs * 258)
  }
}

extension [UInt8] {
  /// The CRC-32 checksum, computed bit by bit.
  public var crc32: UInt32 {
    var state = UInt32.max
    for byte in self {
      state ^= UInt32(byte)
      for _ in 0..<8 { state = state & 1 == 1 ? 0xEDB8_8320 ^ (state >> 1) : state >> 1 }
    }
    return ~state
  }
}
