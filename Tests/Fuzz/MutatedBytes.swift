import TensorIOTestSupport

extension [UInt8] {
  /// Applies one to four random changes.
  mutating func mutate(_ generator: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      // Half of the mutations are in the header.
      let end = Bool.random(using: &generator) ? Swift.min(96, count) : count
      let offset = Int.random(in: 0..<Swift.max(end, 1), using: &generator)
      guard indices.contains(offset) else { continue }
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: removeSubrange(offset...)
      case 1: insert(contentsOf: self[offset..<Swift.min(offset + 16, count)], at: offset)
      case 2: self[offset] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 3: for each in offset..<Swift.min(offset + 4, count) { self[each] = 0xFF }
      default: self[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
  }

  /// Returns the beginning of the bytes, followed by the end of others.
  func spliced(with other: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    prefix(Int.random(in: 0...count, using: &generator))
      + other.suffix(Int.random(in: 0...other.count, using: &generator))
  }
}
