/// The lowercase letters of the Basic Multilingual Plane.
struct LowercaseLetters: Sendable {
  /// The letters, which are looked up on first use.
  static let shared = LowercaseLetters()

  /// Of each scalar, the lowercase mapping, or 0 if that is several scalars or has another length in UTF-8.
  private let letters: [UInt16]

  private init() {
    letters = (0..<UInt32(0x1_0000)).map { value in
      let lower = Self.letterOfSameLength(for: value) ?? 0
      return UInt16(truncatingIfNeeded: lower)
    }
  }

  private static func letterOfSameLength(for value: UInt32) -> UInt32? {
    guard ScalarClass(of: value).contains(.changesWhenLowercased),
      let scalar = Unicode.Scalar(value)
    else { return value }
    let mapping = scalar.properties.lowercaseMapping.unicodeScalars
    guard mapping.count == 1, let lower = mapping.first?.value,
      UTF8Text.length(of: lower) == UTF8Text.length(of: value)
    else { return nil }
    return lower
  }

  /// Returns the lowercase mapping of a scalar, or `nil` if that is several scalars or has another length in UTF-8.
  @inline(__always)
  func letterOfSameLength(for scalar: UInt32) -> UInt32? {
    guard scalar < 0x1_0000 else { return Self.letterOfSameLength(for: scalar) }
    let lower = UInt32(letters[Int(scalar)])
    return lower == 0 && scalar != 0 ? nil : lower
  }
}
