import TensorIOTestSupport

/// A way to damage a file.
enum Mutation: Sendable, CustomStringConvertible {
  /// Nothing from a place on.
  case cut(Int)
  /// One bit, by its number.
  case bit(Int)
  /// Four bytes at a place.
  case word(Int, UInt32)
  /// Some bits, chosen by a number.
  case random(UInt64)

  /// What is at an edge somewhere, as numbers of 32 bits.
  private static let words: [UInt32] = [
    0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x2000_0000,
  ]

  /// Every cut, every bit, and six words at every place where a word may lie.
  static func all(of byteCount: Int) -> [Mutation] {
    (0..<byteCount).map { .cut($0) } + (0..<byteCount * 8).map { .bit($0) }
      + stride(from: 0, through: byteCount - 4, by: 4).flatMap { place in
        words.map { .word(place, $0) }
      }
  }

  func apply(to bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    switch self {
    case .cut(let count): bytes.removeSubrange(count...)
    case .bit(let number): bytes[number / 8] ^= 1 << (number % 8)
    case .word(let place, let word):
      for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: word >> (8 * index)) }
    case .random(let seed):
      var random = SeededGenerator(seed: seed)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^=
          1 << UInt8.random(in: 0..<8, using: &random)
      }
    }
    return bytes
  }

  var description: String {
    switch self {
    case .cut(let count): "cut at \(count)"
    case .bit(let number): "bit \(number)"
    case .word(let place, let word): "word \(word) at \(place)"
    case .random(let seed): "random \(seed)"
    }
  }
}
