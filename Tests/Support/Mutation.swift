/// A modification of a file.
public enum Mutation: Sendable, CustomStringConvertible {
  /// Truncates the file to a length.
  case cut(Int)
  /// Flips the bit with an index.
  case bit(Int)
  /// Overwrites four bytes at an offset, little-endian.
  case word(Int, UInt32)
  /// Flips random bits, chosen by a seed.
  case random(UInt64)

  /// Boundary values of 32-bit integers.
  private static let words: [UInt32] = [
    0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x2000_0000,
  ]

  /// Returns all truncations, all bit flips, and all words at every aligned offset.
  public static func all(of byteCount: Int) -> [Mutation] {
    (0..<byteCount).map { .cut($0) } + (0..<byteCount * 8).map { .bit($0) }
      + stride(from: 0, through: byteCount - 4, by: 4).flatMap { offset in
        words.map { .word(offset, $0) }
      }
  }

  /// Returns the modified bytes.
  public func apply(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .cut(let count): bytes.removeSubrange(count...)
    case .bit(let number): bytes[number / 8] ^= 1 << (number % 8)
    case .word(let offset, let word):
      for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: word >> (8 * index)) }
    case .random(let seed):
      var random = SeededGenerator(seed: seed)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  public var description: String {
    switch self {
    case .cut(let count): "truncated to \(count)"
    case .bit(let number): "bit \(number)"
    case .word(let offset, let word): "word \(word) at \(offset)"
    case .random(let seed): "random \(seed)"
    }
  }
}
