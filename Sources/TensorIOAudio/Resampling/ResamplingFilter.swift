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
    let rate = Double(half / zeroCount)
    let scale = 1 / besselI0(beta)
    var values = (0...half).map { distance in
      let position = Double(distance) / Double(half)
      let window = besselI0(beta * (1 - position * position).squareRoot()) * scale
      guard distance > 0 else { return window / rate }
      let angle = Double.pi * Double(distance) / rate
      return sin(angle) / angle / rate * window
    }
    // The sum over all weights of both halves becomes the gain.
    let sum = 2 * values.dropFirst().reduce(0, +) + values[0]
    for index in values.indices { values[index] *= gain / sum }
    return values.map(Float.init)
  }

  /// Returns the modified Bessel function of the first kind of order 0, from its power series.
  private static func besselI0(_ argument: Double) -> Double {
    let quarter = argument * argument / 4
    return besselCoefficients.reduce(0) { sum, coefficient in sum * quarter + coefficient }
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
