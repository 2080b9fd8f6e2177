extension Array {
  /// Returns the elements in a uniformly random order (Fisher–Yates).
  ///
  /// The algorithm of the standard library's `shuffled` is not specified and may change.
  package func permuted(by random: consuming SplitMix64) -> [Element] {
    var elements = self
    for last in elements.indices.dropFirst().reversed() {
      elements.swapAt(last, random.next(below: last + 1))
    }
    return elements
  }
}

/// A seeded pseudorandom number generator (Steele, Lea and Flood's SplitMix64).
package struct SplitMix64: Sendable {
  private var state: UInt64

  /// Creates one of the independent sequences of a seed.
  package init(seed: UInt64, stream: UInt64) {
    state = SplitMix64.mixed(seed) ^ SplitMix64.mixed(stream &* 0xD1B5_4A32_D192_ED03 &+ 1)
  }

  /// Returns a number in `0..<limit`; the limit must be positive.
  package mutating func next(below limit: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(limit)).high)
  }

  /// Returns how often each number below a limit is drawn.
  ///
  /// A loop over ``next(below:)`` in another module calls a function for each draw.
  ///
  /// - Parameters:
  ///   - limit: The limit, which must be positive.
  ///   - draws: The number of draws.
  /// - Returns: The count of each number.
  package mutating func counts(below limit: Int, draws: Int) -> [Int32] {
    var counts = [Int32](repeating: 0, count: limit)
    for _ in 0..<draws { counts[next(below: limit)] += 1 }
    return counts
  }

  /// Returns a number in `0..<1` with 53 bits.
  package mutating func nextUnit() -> Double { Double(next() >> 11) * 0x1p-53 }

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SplitMix64.mixed(state)
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
