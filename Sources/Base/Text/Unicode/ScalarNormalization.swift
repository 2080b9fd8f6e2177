/// The normalization forms of Unicode.
///
/// Decompositions are those of Unicode 14.0.
struct ScalarNormalization: Sendable, Hashable {
  /// Whether characters are replaced by those that they are compatible with, such as `ﬁ` by `fi`.
  let isCompatible: Bool
  /// Whether marks are joined with the character before them.
  let composes: Bool

  /// A scalar that waits for its place in canonical order.
  private struct Pending {
    let scalar: UInt32
    let combiningClass: UInt8
    let removal: Int
  }

  /// Normalizes a text.
  func apply(to text: inout AlignedText) {
    guard text.bytes.contains(where: { $0 >= 0x80 }) else { return }
    let stable = StableScalars.of(self)
    var changes: [AlignedText.Change] = []
    // The bytes that stay as they are, and the last scalar of them, which the next one may be joined to.
    var kept = 0..<0
    var last = 0..<0
    // The scalars of a part that is not stable.
    var part: [UInt32] = []
    func addPart() {
      for item in pending(part) {
        changes.append(.init(scalar: item.scalar, removal: item.removal))
      }
      part.removeAll(keepingCapacity: true)
    }
    text.forEachScalar { scalar, range in
      guard !stable.contains(scalar) else {
        if !part.isEmpty { addPart() }
        kept = (kept.isEmpty ? range.lowerBound : kept.lowerBound)..<range.upperBound
        last = range
        return
      }
      if !kept.isEmpty {
        let end = composes ? last.lowerBound : kept.upperBound
        if end > kept.lowerBound { changes.append(.kept(kept.lowerBound..<end)) }
        if composes { part.append(UTF8Text.scalar(at: last.lowerBound, in: text.bytes.span).value) }
        kept = 0..<0
      }
      part.append(scalar)
    }
    guard !changes.isEmpty || !part.isEmpty else { return }
    addPart()
    if !kept.isEmpty { changes.append(.kept(kept)) }
    text.transform(changes)
  }

  /// Returns the normalization of a scalar.
  func normalized(_ scalar: UInt32) -> [UInt32] { normalized([scalar]) }

  /// Returns the normalization of scalars.
  func normalized(_ scalars: [UInt32]) -> [UInt32] { pending(scalars).map(\.scalar) }

  private func pending(_ scalars: [UInt32]) -> [Pending] {
    var items: [Pending] = []
    var pending: [Pending] = []
    for scalar in scalars {
      var isFirst = true
      decompose(scalar) { part in
        let combiningClass = Self.combiningClass(of: part)
        if combiningClass == 0 { Self.flush(&pending, into: &items) }
        let item = Pending(
          scalar: part, combiningClass: combiningClass, removal: isFirst ? 0 : 1)
        isFirst = false
        if combiningClass == 0 { items.append(item) } else { pending.append(item) }
      }
    }
    Self.flush(&pending, into: &items)
    if composes { compose(&items) }
    return items
  }

  @inline(__always)
  func decompose(_ scalar: UInt32, _ body: (UInt32) -> Void) {
    if scalar < 0x80 {
      body(scalar)
    } else if isCompatible {
      CompatibilityDecomposition.shared.forEach(of: scalar, body)
    } else {
      CanonicalDecomposition.shared.forEach(of: scalar, body)
    }
  }

  private static func combiningClass(of scalar: UInt32) -> UInt8 {
    guard scalar >= 0x80, ScalarClass(of: scalar).contains(.combining) else { return 0 }
    return Unicode.Scalar(scalar)?.properties.canonicalCombiningClass.rawValue ?? 0
  }

  /// Moves marks of one sequence, sorted by class; equal classes keep their order.
  private static func flush(_ pending: inout [Pending], into decomposed: inout [Pending]) {
    guard !pending.isEmpty else { return }
    if pending.count > 1 {
      let order = pending.indices.sorted {
        let (one, other) = (pending[$0].combiningClass, pending[$1].combiningClass)
        return one != other ? one < other : $0 < $1
      }
      for index in order { decomposed.append(pending[index]) }
    } else {
      decomposed += pending
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Joins marks, and the letters of Hangul syllables, with the character before them.
  private func compose(_ items: inout [Pending]) {
    var result: [Pending] = []
    result.reserveCapacity(items.count)
    var starter: Int?
    var lastClass: UInt8 = 0
    for item in items {
      if let place = starter {
        let isAdjacent = place == result.count - 1
        let isBlocked = isAdjacent ? false : lastClass >= item.combiningClass
        if !isBlocked,
          let joined = CanonicalComposition.shared.scalar(of: result[place].scalar, item.scalar)
        {
          result[place] = Pending(
            scalar: joined, combiningClass: 0, removal: result[place].removal + item.removal - 1)
          continue
        }
      }
      lastClass = item.combiningClass
      if item.combiningClass == 0 { starter = result.count }
      result.append(item)
    }
    items = result
  }
}
