import TensorIOSystem

/// The low-pass filter that converts between two sample rates, divided into phases.
///
/// This is the default filter of `scipy.signal.resample_poly`: for the reduced ratio `up / down`
/// and `rate = max(up, down)`, a sinc with its first zero at `rate`, of `20 * rate + 1` taps,
/// multiplied by a Kaiser window with beta 5, with a gain of `up` at 0 Hz.
struct ResamplingFilter {
  /// The numerator of the reduced ratio of the output rate to the input rate.
  let up: Int
  /// The denominator.
  let down: Int
  /// The number of input samples before the current one that have an influence.
  let radius: Int
  /// The number of weights of a phase, a multiple of the kernel's step.
  let tapCount: Int
  /// The weights of all phases, one phase after another.
  let weights: [Float]

  /// The number of zeros of the sinc on each side.
  private static let zeroCount = 10
  private static let beta = 5.0

  /// Creates the filter for valid rates.
  init(from inputRate: Int, to outputRate: Int) {
    let divisor = Self.greatestCommonDivisor(inputRate, outputRate)
    (up, down) = (outputRate / divisor, inputRate / divisor)
    let half = Self.zeroCount * max(up, down)
    let prototype = Self.prototype(half: half, gain: Double(up))
    radius = half / up
    let step = ResamplingKernel.step
    tapCount = (2 * radius + 2 + step - 1) / step * step

    var weights = [Float](repeating: 0, count: up * tapCount)
    for phase in 0..<up {
      for tap in 0..<2 * radius + 2 {
        let distance = abs(phase - (tap - radius) * up)
        if distance <= half { weights[phase * tapCount + tap] = prototype[distance] }
      }
    }
    self.weights = weights
  }

  /// Returns one half of the symmetric filter, from its center.
  private static func prototype(half: Int, gain: Double) -> [Float] {
    let rate = half / zeroCount
    // Every period of the sinc has the same sines, with alternating signs.
    let sines = (0..<rate).map { sin(Double.pi * Double($0) / Double(rate)) }
    var values = kaiserWindow(half: half)
    for lobe in 0..<zeroCount {
      let sign: Double = lobe.isMultiple(of: 2) ? 1 : -1
      for offset in 0..<rate where lobe + offset > 0 {
        let distance = lobe * rate + offset
        values[distance] *= sign * sines[offset] / (Double.pi * Double(distance))
      }
    }
    values[0] /= Double(rate)
    values[half] = 0
    // The sum over all weights of both halves becomes the gain.
    let sum = 2 * values.dropFirst().reduce(0, +) + values[0]
    let scale = gain / sum
    return values.map { Float($0 * scale) }
  }

  /// Returns one half of a Kaiser window, from its center, without normalization.
  private static func kaiserWindow(half: Int) -> [Double] {
    typealias Lanes = SIMD8<Double>
    var window: [Double] = []
    window.reserveCapacity(half + Lanes.scalarCount)
    let steps = Lanes(0, 1, 2, 3, 4, 5, 6, 7)
    for start in stride(from: 0, through: half, by: Lanes.scalarCount) {
      let positions = (steps + Double(start)) / Double(half)
      // The Bessel function of the first kind of order 0 of `beta * sqrt(1 - position²)`.
      let quarters = beta * beta / 4 * (1 - positions * positions)
      var sums = Lanes.zero
      for coefficient in besselCoefficients { sums = sums * quarters + coefficient }
      for lane in 0..<Lanes.scalarCount { window.append(sums[lane]) }
    }
    window.removeLast(window.count - half - 1)
    return window
  }

  /// The coefficients of the power series, last first: the inverse squares of factorials.
  ///
  /// For arguments up to beta, further terms are less than a rounding error.
  private static let besselCoefficients: [Double] = {
    var coefficients = [1.0]
    for index in 1...20 { coefficients.append(coefficients[index - 1] / Double(index * index)) }
    return coefficients.reversed()
  }()

  private static func greatestCommonDivisor(_ left: Int, _ right: Int) -> Int {
    var (left, right) = (left, right)
    while right != 0 { (left, right) = (right, left % right) }
    return left
  }
}
