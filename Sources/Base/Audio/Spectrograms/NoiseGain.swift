import TensorIOSystem

/// The amplification of a band by its noise: 2²¹·(noise / 2⁷ + 80)^−0.95, as a parabola for each power of two.
struct NoiseGain: Sendable {
  /// A parabola over the numbers with some number of bits.
  private struct Parabola: Sendable {
    let start: Int64
    let slope: Int64
    let bend: Int64
  }

  private static let offset: Float = 80
  private static let strength: Float = 0.95
  private static let gainBits = 21
  private static let ratioBits: Int64 = 12
  private static let smoothingBits = 10

  private let small: [Int64]
  /// The parabolas of the numbers with 2 to 32 bits.
  private let parabolas: [Parabola]
  private let shift: Int64

  /// Creates the table; `correction` is the power of two by which the noise is too small.
  init(correction: Int) {
    let scale = Float(1 << max(0, Self.smoothingBits - correction))
    func gain(_ noise: Int64) -> Int64 {
      let power = pow(Double(Float(noise) / scale + Self.offset), Double(-Self.strength))
      let value = Float(1 << Self.gainBits) * Float(power)
      return value > 32_767 ? 32_767 : Int64(value + 0.5)
    }
    parabolas = (2...32).map { bits in
      let first = Int64(1) << Int64(bits - 1)
      let last = bits == 32 ? first + (first - 1) : 2 * first
      let (start, middle, end) = (gain(first), gain(first + first >> 1), gain(last))
      let slope = 4 * (middle - start) - (end - start)
      return Parabola(start: start, slope: slope, bend: end - start - slope)
    }
    small = [gain(0), gain(1), parabolas[0].start]
    shift = Int64(Self.gainBits - correction) - Self.ratioBits
  }

  /// Returns a signal times the gain that its noise allows.
  func amplified(_ signal: Int64, noise: UInt32) -> Int64 {
    (signal &* gain(of: noise)) >> shift
  }

  private func gain(of noise: UInt32) -> Int64 {
    guard noise > 2 else { return small[Int(noise)] }
    let bits = UInt32.bitWidth - noise.leadingZeroBitCount
    let parabola = parabolas[bits - 2]
    let position = Int64(noise)
    let fraction =
      (bits < 11 ? position << Int64(11 - bits) : position >> Int64(bits - 11)) & 0x3FF
    let slope = ((parabola.bend * fraction) >> 5) + (parabola.slope << 5)
    return ((slope * fraction + 1 << 14) >> 15) + parabola.start
  }

  /// Returns a ratio in a smaller range: its square if it is small, and a line beyond.
  static func compressed(_ ratio: Int64, outputBits: Int64) -> Int64 {
    ratio < 2 << ratioBits
      ? (ratio &* ratio) >> (2 + 2 * ratioBits - outputBits)
      : (ratio >> (ratioBits - outputBits)) - 1 << outputBits
  }
}
