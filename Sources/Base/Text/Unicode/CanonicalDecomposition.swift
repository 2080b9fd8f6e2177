/// Canonical decompositions of scalars (normalization form D without reordering).
struct CanonicalDecomposition: Sendable {
  /// The decompositions, which are computed on first use.
  static let shared = CanonicalDecomposition()

  /// The scalars that decompose, sorted.
  private let scalars: [UInt32]
  /// The ends of the decompositions in `targets`.
  private let ends: [UInt32]
  /// The complete decompositions.
  private let targets: [UInt32]

  private init() {
    var steps: [UInt32: [UInt32]] = [:]
    var order: [UInt32] = []
    for (scalar, parts) in DecompositionRows(DecompositionData.rows) {
      order.append(scalar)
      steps[scalar] = parts
    }
    var ends: [UInt32] = []
    var targets: [UInt32] = []
    for scalar in order {
      var parts = steps[scalar] ?? []
      // Only the first part of a decomposition decomposes.
      while let first = parts.first, let step = steps[first] {
        parts.replaceSubrange(0..<1, with: step)
      }
      targets += parts
      ends.append(UInt32(targets.count))
    }
    self.scalars = order
    self.ends = ends
    self.targets = targets
  }

  /// Calls a function with each scalar of a scalar's decomposition, or with the scalar if it has none.
  func forEach(of scalar: UInt32, _ body: (UInt32) -> Void) {
    if scalar &- 0xAC00 < 11172 {
      let syllable = scalar - 0xAC00
      body(0x1100 + syllable / 588)
      body(0x1161 + syllable % 588 / 28)
      if syllable % 28 != 0 { body(0x11A7 + syllable % 28) }
      return
    }
    guard let index = index(of: scalar) else {
      body(scalar)
      return
    }
    let start = index == 0 ? 0 : Int(ends[index - 1])
    for target in start..<Int(ends[index]) { body(targets[target]) }
  }

  private func index(of scalar: UInt32) -> Int? {
    var (low, high) = (0, scalars.count)
    while low < high {
      let middle = (low + high) >> 1
      if scalars[middle] < scalar { low = middle + 1 } else { high = middle }
    }
    return low < scalars.count && scalars[low] == scalar ? low : nil
  }
}
