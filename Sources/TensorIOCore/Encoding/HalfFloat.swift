/// Half precision as its sixteen bits, for processors and platforms whose Swift has no `Float16`.
package enum HalfFloat {
  /// The bits of an infinity, all of which a value that is not finite has.
  static let infinity: UInt16 = 0x7C00

  /// The nearest half to a number, ties to even; too large a number becomes infinite.
  static func bits(of value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let magnitude = bits & 0x7FFF_FFFF
    if magnitude > 0x7F80_0000 { return sign | 0x7E00 }  // not a number
    if magnitude >= 0x4780_0000 { return sign | infinity }  // 65536 and beyond
    if magnitude < 0x3880_0000 { return sign | subnormal(magnitude) }
    let rebased = magnitude &- 0x3800_0000  // the exponent's bias goes from 127 to 15
    return sign &+ UInt16(truncatingIfNeeded: roundingToEven(rebased, droppedBits: 13))
  }

  /// The number that sixteen bits stand for.
  package static func value(of bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let exponent = UInt32(bits >> 10) & 0x1F
    let fraction = UInt32(bits & 0x3FF)
    switch exponent {
    case 0: return Float(bitPattern: sign) + Float(signOf: sign, Float(fraction) * 0x1p-24)
    case 31: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
    default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
    }
  }

  /// A number below the smallest normal half counts in steps of 2⁻²⁴.
  private static func subnormal(_ magnitude: UInt32) -> UInt16 {
    let steps = (Float(bitPattern: magnitude) * 0x1p24).rounded(.toNearestOrEven)
    return UInt16(steps)
  }

  private static func roundingToEven(_ bits: UInt32, droppedBits: UInt32) -> UInt32 {
    let half = UInt32(1) << (droppedBits - 1)
    let isOdd = (bits >> droppedBits) & 1
    return (bits &+ half &- 1 &+ isOdd) >> droppedBits
  }
}

extension Float {
  fileprivate init(signOf sign: UInt32, _ magnitude: Float) {
    self = sign == 0 ? magnitude : -magnitude
  }
}
