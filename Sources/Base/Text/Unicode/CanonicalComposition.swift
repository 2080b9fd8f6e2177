/// The scalars that pairs of scalars are joined to in normalization form C.
struct CanonicalComposition: Sendable {
  /// The compositions, which are computed on first use.
  static let shared = CanonicalComposition()

  private let scalars: [UInt64: UInt32]
  /// The second scalars of the pairs, except those of Hangul.
  private let seconds: Set<UInt32>

  private init() {
    var scalars: [UInt64: UInt32] = [:]
    for (scalar, parts) in DecompositionRows(DecompositionData.rows) where parts.count == 2 {
      guard !Self.isExcluded(scalar), Self.isStarter(scalar), Self.isStarter(parts[0]) else {
        continue
      }
      scalars[Self.key(parts[0], parts[1])] = scalar
    }
    self.scalars = scalars
    seconds = Set(scalars.keys.map { UInt32(truncatingIfNeeded: $0) })
  }

  private static func key(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(first) << 32 | UInt64(second)
  }

  private static func isStarter(_ scalar: UInt32) -> Bool {
    Unicode.Scalar(scalar)?.properties.canonicalCombiningClass == .notReordered
  }

  /// Returns the scalar that two scalars are joined to, or `nil` if they stay apart.
  func scalar(of first: UInt32, _ second: UInt32) -> UInt32? {
    if first &- 0x1100 < 19, second &- 0x1161 < 21 {
      return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
    }
    if first &- 0xAC00 < 11172, (first - 0xAC00) % 28 == 0, second &- 0x11A8 < 27 {
      return first + second - 0x11A7
    }
    return scalars[Self.key(first, second)]
  }

  /// Whether a scalar is joined with some scalar before it.
  func isJoinedWithPrevious(_ scalar: UInt32) -> Bool {
    scalar &- 0x1161 < 21 || scalar &- 0x11A8 < 27 || seconds.contains(scalar)
  }

  /// Whether a scalar is not the result of a composition although it decomposes (CompositionExclusions.txt).
  private static func isExcluded(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x958...0x95F, 0x9DC...0x9DD, 0x9DF, 0xA33, 0xA36, 0xA59...0xA5B, 0xA5E, 0xB5C...0xB5D,
      0xF43, 0xF4D, 0xF52, 0xF57, 0xF5C, 0xF69, 0xF76, 0xF78, 0xF93, 0xF9D, 0xFA2, 0xFA7, 0xFAC,
      0xFB9, 0xFB1D, 0xFB1F, 0xFB2A...0xFB36, 0xFB38...0xFB3C, 0xFB3E, 0xFB40...0xFB41,
      0xFB43...0xFB44, 0xFB46...0xFB4E, 0x2ADC, 0x1_D15E...0x1_D164, 0x1_D1BB...0x1_D1C0:
      true
    default: false
    }
  }
}
