import TensorIOBundle

/// The conversion between numbers and the elements that store them.
///
/// It results from the layer's `quantize` or `dequantize` and the tensor's own scale and zero
/// point.
enum QuantizationTransform: Sendable, Hashable {
  /// Elements are the numbers themselves.
  case identity
  /// As declared in `model.json`: `(number + bias) · scale` for inputs, `element · scale + bias`
  /// for outputs.
  case declared(scale: Float, bias: Float)
  /// The tensor's own quantization: the number is `scale · (element − zeroPoint)` in both
  /// directions.
  case tensor(scale: Float, zeroPoint: Float)

  /// Returns the element for a number, before rounding.
  @inline(__always)
  func quantize(_ number: Float) -> Float {
    switch self {
    case .identity: number
    case .declared(let scale, let bias): (number + bias) * scale
    case .tensor(let scale, let zeroPoint): number / scale + zeroPoint
    }
  }

  /// Returns the number that an element represents.
  @inline(__always)
  func dequantize(_ element: Float) -> Float {
    switch self {
    case .identity: element
    case .declared(let scale, let bias): element * scale + bias
    case .tensor(let scale, let zeroPoint): (element - zeroPoint) * scale
    }
  }

  /// Whether numbers are stored unchanged.
  var isIdentity: Bool { self == .identity }
}

extension StandardRange {
  /// For inputs: maps the range to the bytes 0 to 255.
  var quantizing: QuantizationTransform {
    switch self {
    case .zeroToOne: .declared(scale: 255, bias: 0)
    case .minusOneToOne: .declared(scale: 127.5, bias: 1)
    }
  }

  /// For outputs: maps the bytes 0 to 255 to the range.
  var dequantizing: QuantizationTransform {
    switch self {
    case .zeroToOne: .declared(scale: 1 / 255, bias: 0)
    case .minusOneToOne: .declared(scale: 2 / 255, bias: -1)
    }
  }
}

/// Conversion of fractions to stored integers. Halves are rounded down, and values out of range are
/// clamped.
///
/// The format's documentation maps 0.5 to 127 for the range 0 to 1. This rounding does so and maps
/// every byte back to itself. See `Documentation/Decisions`.
extension FixedWidthInteger {
  /// Creates the nearest value of the type, or zero for NaN.
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
  /// The nearest integer; halves are rounded down.
  ///
  /// The distance to the nearest integer is exact, unlike `self - 0.5`, which is inexact for very
  /// large and very small numbers.
  @inline(__always)
  var roundedHalfDown: Self {
    let nearest = rounded(.toNearestOrEven)
    return nearest - self == 0.5 ? nearest - 1 : nearest
  }
}

/// Half precision as 16 bits, for platforms whose Swift has no `Float16`.
package struct HalfFloat: Hashable, Sendable, BitwiseCopyable {
  let bits: UInt16

  /// Creates the nearest number, ties to even; numbers that are too large become infinite.
  init(_ value: Float) { bits = Self.bits(of: value) }

  /// Returns the halves nearest to floats, both little-endian; `nil` if a finite number would become infinite.
  package static func bytes(ofFloats bytes: some RandomAccessCollection<UInt8>) -> [UInt8]? {
    var halves: [UInt8] = []
    halves.reserveCapacity(bytes.count / 2)
    var index = bytes.startIndex
    for _ in 0..<bytes.count / 4 {
      var number: UInt32 = 0
      for shift in 0..<UInt32(4) {
        number |= UInt32(bytes[index]) << (8 * shift)
        bytes.formIndex(after: &index)
      }
      let value = Float(bitPattern: number)
      let half = Self.bits(of: value)
      guard half & infinity != infinity || !value.isFinite else { return nil }
      halves.append(UInt8(truncatingIfNeeded: half))
      halves.append(UInt8(truncatingIfNeeded: half >> 8))
    }
    return halves
  }

  /// The bits of infinity, all of which are set in infinities and NaN.
  static let infinity: UInt16 = 0x7C00

  /// Returns the nearest half-precision value, ties to even; values that are too large become
  /// infinite.
  static func bits(of value: Float) -> UInt16 {
    let bits = value.bitPattern
    let sign = UInt16(truncatingIfNeeded: bits >> 16) & 0x8000
    let magnitude = bits & 0x7FFF_FFFF
    if magnitude > 0x7F80_0000 { return sign | 0x7E00 }  // NaN
    if magnitude >= 0x4780_0000 { return sign | infinity }  // 65536 and above
    if magnitude < 0x3880_0000 { return sign | subnormal(magnitude) }
    let rebased = magnitude &- 0x3800_0000  // changes the exponent's bias from 127 to 15
    return sign &+ UInt16(truncatingIfNeeded: roundToEven(rebased, droppingBits: 13))
  }

  /// Returns the number that 16 bits represent.
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

  /// Converts a number below the smallest normal half, in steps of 2⁻²⁴.
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
