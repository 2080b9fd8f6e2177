extension Array {
  /// The elements in another order, each as likely as any other (Fisher and Yates).
  ///
  /// The standard library does not say how it shuffles, and could do so differently some day.
  package func permuted(by random: consuming SplitMix64) -> [Element] {
    var elements = self
    for last in elements.indices.dropFirst().reversed() {
      elements.swapAt(last, random.next(below: last + 1))
    }
    return elements
  }
}

/// Numbers that look random and follow from a seed: Steele, Lea and Flood's SplitMix64.
package struct SplitMix64 {
  private var state: UInt64

  /// One of many sequences that a seed has.
  package init(seed: UInt64, stream: UInt64) {
    state = SplitMix64.mixed(seed) ^ SplitMix64.mixed(stream &* 0xD1B5_4A32_D192_ED03 &+ 1)
  }

  /// A number from 0 to below a limit, which is positive.
  mutating func next(below limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Int(SplitMix64.mixed(state).multipliedFullWidth(by: UInt64(limit)).high)
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
