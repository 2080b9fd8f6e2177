/// Compatibility decompositions of scalars (normalization form KD without reordering).
struct CompatibilityDecomposition: Sendable {
  /// The decompositions, which are computed on first use.
  static let shared = CompatibilityDecomposition()

  /// The complete decompositions of the scalars that have another one than the canonical one.
  private let targets: [UInt32: [UInt32]]

  private init() {
    var steps: [UInt32: [UInt32]] = [:]
    for (scalar, parts) in DecompositionRows(CompatibilityData.rows) { steps[scalar] = parts }
    var canonical: [UInt32: [UInt32]] = [:]
    for (scalar, parts) in DecompositionRows(DecompositionData.rows) { canonical[scalar] = parts }
    var targets: [UInt32: [UInt32]] = [:]
    for scalar in Array(steps.keys) + Array(canonical.keys) {
      var parts: [UInt32] = []
      var pending = [scalar]
      while let next = pending.popLast() {
        if let step = steps[next] ?? canonical[next] {
          pending += step.reversed()
        } else {
          parts.append(next)
        }
      }
      targets[scalar] = parts
    }
    self.targets = targets
  }

  /// Calls a function with each scalar of a scalar's decomposition, or with the scalar if it has none.
  func forEach(of scalar: UInt32, _ body: (UInt32) -> Void) {
    if let parts = targets[scalar] {
      for part in parts { CanonicalDecomposition.shared.forEach(of: part, body) }
    } else {
      CanonicalDecomposition.shared.forEach(of: scalar, body)
    }
  }
}
