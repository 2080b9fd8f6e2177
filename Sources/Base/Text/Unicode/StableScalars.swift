/// The scalars that a normalization form changes in no text, and that are not joined with a scalar before them.
struct StableScalars: Sendable {
  private static let c = StableScalars(.init(isCompatible: false, composes: true))
  private static let d = StableScalars(.init(isCompatible: false, composes: false))
  private static let kc = StableScalars(.init(isCompatible: true, composes: true))
  private static let kd = StableScalars(.init(isCompatible: true, composes: false))

  private let form: ScalarNormalization
  /// Whether each scalar of the Basic Multilingual Plane is stable.
  private let table: [Bool]

  private init(_ form: ScalarNormalization) {
    self.form = form
    table = (0..<UInt32(0x1_0000)).map { Self.isStable($0, in: form) }
  }

  /// Returns the stable scalars of a form, which are computed on first use.
  static func of(_ form: ScalarNormalization) -> StableScalars {
    if form.isCompatible { return form.composes ? kc : kd }
    return form.composes ? c : d
  }

  @inline(__always)
  func contains(_ scalar: UInt32) -> Bool {
    scalar < 0x1_0000 ? table[Int(scalar)] : Self.isStable(scalar, in: form)
  }

  private static func isStable(_ scalar: UInt32, in form: ScalarNormalization) -> Bool {
    if scalar < 0x80 { return true }
    guard ScalarClass(of: scalar).isDisjoint(with: .combining) else { return false }
    var (first, count) = (scalar, 0)
    form.decompose(scalar) { part in
      if count == 0 { first = part }
      count += 1
    }
    guard form.composes else { return count == 1 && first == scalar }
    if CanonicalComposition.shared.isJoinedWithPrevious(first) { return false }
    return count == 1 ? first == scalar : form.normalized(scalar) == [scalar]
  }
}
