import TensorIOBundle

/// How a number and the element that stores it become one another.
///
/// A code is what is left of `quantize`, `dequantize` and the tensor's own scale once the
/// description and the tensor are known.
enum QuantizationTransform: Sendable, Hashable {
  /// The element is the number.
  case identity
  /// As `model.json` writes it: `(number + bias) · scale` going in, `element · scale + bias`
  /// coming out.
  case declared(scale: Float, bias: Float)
  /// As the tensor has it: `scale · (element − zeroPoint)` is the number, in both directions.
  case tensor(scale: Float, zeroPoint: Float)

  /// The element for a number, before rounding.
  @inline(__always)
  func quantize(_ number: Float) -> Float {
    switch self {
    case .identity: number
    case .declared(let scale, let bias): (number + bias) * scale
    case .tensor(let scale, let zeroPoint): number / scale + zeroPoint
    }
  }

  /// The number that an element stores.
  @inline(__always)
  func dequantize(_ element: Float) -> Float {
    switch self {
    case .identity: element
    case .declared(let scale, let bias): element * scale + bias
    case .tensor(let scale, let zeroPoint): (element - zeroPoint) * scale
    }
  }

  /// Whether numbers and elements differ.
  var isIdentity: Bool { self == .identity }
}

extension StandardRange {
  /// Going in: the range onto the bytes 0 to 255.
  var quantizing: QuantizationTransform {
    switch self {
    case .zeroToOne: .declared(scale: 255, bias: 0)
    case .minusOneToOne: .declared(scale: 127.5, bias: 1)
    }
  }

  /// Coming out: the bytes 0 to 255 onto the range.
  var dequantizing: QuantizationTransform {
    switch self {
    case .zeroToOne: .declared(scale: 1 / 255, bias: 0)
    case .minusOneToOne: .declared(scale: 2 / 255, bias: -1)
    }
  }
}

/// How fractions become stored integers, everywhere: halves go down, and what lies beyond the
/// type takes its nearest value.
///
/// The documents of the format say 0.5 → 127 for the range 0 to 1, and this is the rounding that
/// does so and still returns every byte of a ramp exactly. `Documentation/Decisions` has the story.
extension FixedWidthInteger {
  /// The nearest value of the type; a value that is not a number becomes zero.
  @inline(__always)
  init(saturating value: Float) {
    guard value == value else {
      self = 0
      return
    }
    let rounded = value.roundedHalfDown
    if rounded <= Float(Self.min) {
      self = .min
    } else if rounded >= Float(Self.max) {
      self = .max
    } else {
      self = Self(rounded)
    }
  }
}

extension BinaryFloatingPoint {
  /// The nearest whole number; halves go down.
  ///
  /// The distance to the nearest is exact, unlike `self - 0.5`, which is rounded itself where
  /// numbers are so large or so small that half a step is lost.
  @inline(__always)
  var roundedHalfDown: Self {
    let nearest = rounded(.toNearestOrEven)
    return nearest - self == 0.5 ? nearest - 1 : nearest
  }
}

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
    return sign &+ UInt16(truncatingIfNeeded: roundToEven(rebased, droppingBits: 13))
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

  private static func roundToEven(_ bits: UInt32, droppingBits: UInt32) -> UInt32 {
    let half = UInt32(1) << (droppingBits - 1)
    let isOdd = (bits >> droppingBits) & 1
    return (bits &+ half &- 1 &+ isOdd) >> droppingBits
  }
}

extension Float {
  fileprivate init(signOf sign: UInt32, _ magnitude: Float) {
    self = sign == 0 ? magnitude : -magnitude
  }
}
