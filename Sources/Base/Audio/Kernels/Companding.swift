/// The samples of the logarithmic encodings of ITU-T G.711.
///
/// A byte holds a sign, three bits of a binary exponent and four bits of a mantissa.
enum Companding {
  /// The samples of the bytes of A-law.
  static let aLaw = (0..<256).map { byte in
    // Every other bit is stored inverted.
    let bits = byte ^ 0x55
    let (exponent, mantissa) = (bits >> 4 & 7, bits & 15)
    let magnitude =
      exponent == 0 ? 2 * mantissa + 1 : (2 * mantissa + 33) << (exponent - 1)
    return Float(bits & 0x80 != 0 ? magnitude : -magnitude) / 0x1p12
  }

  /// The samples of the bytes of µ-law.
  static let muLaw = (0..<256).map { byte in
    // All bits are stored inverted.
    let bits = byte ^ 0xFF
    let (exponent, mantissa) = (bits >> 4 & 7, bits & 15)
    let magnitude = (2 * mantissa + 33) << exponent - 33
    return Float(bits & 0x80 != 0 ? -magnitude : magnitude) / 0x1p13
  }
}
