/// The exponential function and the logarithm of additions, multiplications and comparisons only.
///
/// Those of C libraries differ in the last bit, so that the same seed could lead to other tokens on another machine. These
/// have the same bits wherever floating-point numbers follow IEEE 754. The error is below two units in the last place.
enum Exponential {
  private static let log2E = 0x1.71547652B82FEp0
  private static let ln2High = 0x1.62E42FEE00000p-1
  private static let ln2Low = 0x1.A39EF35793C76p-33
  /// Rounds to an integer, which the lowest bits then hold.
  private static let rounder = 0x1.8p52
  /// The lowest argument; the result is zero below it.
  static let lowest = -708.0

  /// Replaces the elements of an array, at most 700, by exp(element − shift).
  static func replace(_ numbers: inout [Double], minus shift: Double) {
    let count = numbers.count
    unsafe numbers.withUnsafeMutableBufferPointer { numbers in
      guard let base = UnsafeMutableRawPointer(numbers.baseAddress) else { return }
      let width = MemoryLayout<SIMD8<Double>>.size
      var index = 0
      while index + 8 <= count {
        let place = unsafe base + index / 8 * width
        let value = unsafe place.loadUnaligned(as: SIMD8<Double>.self) - shift
        unsafe place.storeBytes(of: exp(value), as: SIMD8<Double>.self)
        index += 8
      }
      while index < count {
        unsafe numbers[index] = exp(unsafe numbers[index] - shift)
        index += 1
      }
    }
  }

  /// Returns the exponential of a number up to 700.
  static func exp(_ number: Double) -> Double { exp(SIMD8(repeating: number))[0] }

  @inline(__always)
  private static func exp(_ number: SIMD8<Double>) -> SIMD8<Double> {
    let isZero = number .< lowest
    let argument = number.replacing(with: lowest, where: isZero)
    let shifted = argument * log2E + rounder
    let exponent = shifted - rounder
    let rest = argument - exponent * ln2High - exponent * ln2Low
    // The Taylor series: the reciprocals of the factorials from 13 on downwards.
    var sum = SIMD8<Double>(repeating: 0x1.6124613A86D09p-33)
    sum = sum * rest + 0x1.1EED8EFF8D898p-29
    sum = sum * rest + 0x1.AE64567F544E4p-26
    sum = sum * rest + 0x1.27E4FB7789F5Cp-22
    sum = sum * rest + 0x1.71DE3A556C734p-19
    sum = sum * rest + 0x1.A01A01A01A01Ap-16
    sum = sum * rest + 0x1.A01A01A01A01Ap-13
    sum = sum * rest + 0x1.6C16C16C16C17p-10
    sum = sum * rest + 0x1.1111111111111p-7
    sum = sum * rest + 0x1.5555555555555p-5
    sum = sum * rest + 0x1.5555555555555p-3
    sum = sum * rest + 0.5
    sum = sum * rest + 1
    sum = sum * rest + 1
    let bits = unsafe unsafeBitCast(shifted, to: SIMD8<UInt64>.self)
    let scale = unsafe unsafeBitCast((bits &+ 1023) &<< 52, to: SIMD8<Double>.self)
    return (sum * scale).replacing(with: 0, where: isZero)
  }

  /// Returns the natural logarithm of a positive, normal number.
  static func log(_ number: Double) -> Double {
    var logarithm = Double(number.exponent) * (ln2High + ln2Low) + (number.significand - 1) * 0.7
    // Halley's method triples the number of correct digits each time.
    for _ in 0..<4 {
      let power = exp(logarithm)
      logarithm += 2 * (number - power) / (number + power)
    }
    return logarithm
  }
}
