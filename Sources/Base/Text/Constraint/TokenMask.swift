/// The tokens that may be chosen in a step, one bit each.
package struct TokenMask: Sendable, Hashable {
  /// The bits, lowest id first.
  package private(set) var words: [UInt64]

  /// Creates a mask that allows no token.
  package init(tokenCount: Int) {
    words = [UInt64](repeating: 0, count: (tokenCount + 63) >> 6)
  }

  /// Allows a token; ids beyond the number of tokens are ignored.
  package mutating func insert(_ id: Int32) {
    guard id >= 0, Int(id) >> 6 < words.count else { return }
    words[Int(id) >> 6] |= 1 << UInt64(id & 63)
  }

  /// Whether no token is allowed.
  package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// Whether a token is allowed.
  package func contains(_ id: Int32) -> Bool {
    guard id >= 0, Int(id) >> 6 < words.count else { return false }
    return words[Int(id) >> 6] >> UInt64(id & 63) & 1 == 1
  }
}
