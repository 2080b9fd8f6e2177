import TensorIOSystem

/// The discrete Fourier transform of real numbers in integers of 16 bits, as small devices compute it.
///
/// Each stage divides its input by four, and the last one by two, so that no number exceeds 16 bits. Products are rounded
/// in the order of the stages, which differs from the exact transform by some units.
struct IntegerFourierTransform: Sendable {
  /// A complex number with 15 bits after the point.
  private struct Complex: Sendable {
    var real: Int32
    var imaginary: Int32

    init(_ real: Int32, _ imaginary: Int32) { (self.real, self.imaginary) = (real, imaginary) }

    /// The number with the absolute value 1 and a phase.
    init(phase: Double) {
      self.init(Self.fixed(cos(phase)), Self.fixed(sin(phase)))
    }

    private static func fixed(_ value: Double) -> Int32 {
      Int32((0.5 + 32_767 * value).rounded(.down))
    }

    /// Returns the nearest multiple of 2⁻¹⁵.
    private static func rounded(_ product: Int64) -> Int32 {
      Int32(truncatingIfNeeded: (product + 1 << 14) >> 15)
    }

    func divided(by divisor: Int64) -> Complex {
      let factor = 32_767 / divisor
      return Complex(Self.rounded(Int64(real) * factor), Self.rounded(Int64(imaginary) * factor))
    }

    var conjugate: Complex { Complex(real, -imaginary) }

    static func + (a: Complex, b: Complex) -> Complex {
      Complex(a.real &+ b.real, a.imaginary &+ b.imaginary)
    }

    static func - (a: Complex, b: Complex) -> Complex {
      Complex(a.real &- b.real, a.imaginary &- b.imaginary)
    }

    static func * (a: Complex, b: Complex) -> Complex {
      let (ar, ai) = (Int64(a.real), Int64(a.imaginary))
      let (br, bi) = (Int64(b.real), Int64(b.imaginary))
      return Complex(rounded(ar * br - ai * bi), rounded(ar * bi + ai * br))
    }
  }

  /// The number of real numbers of a signal.
  let size: Int
  /// The positions of the numbers that the first stage takes: their digits to base 4, reversed.
  private let order: [Int]
  /// The roots of unity of each stage, three for each number in a quarter.
  private let stages: [[Complex]]
  /// The factors that separate the transforms of the even and the odd numbers.
  private let separators: [Complex]

  /// Returns whether a transform can have a size: twice a power of four.
  static func supports(_ size: Int) -> Bool {
    var rest = size
    while rest > 2, rest.isMultiple(of: 4) { rest /= 4 }
    return rest == 2
  }

  /// Creates a transform of a supported size.
  init(size: Int) {
    precondition(Self.supports(size))
    self.size = size
    let half = size / 2
    order = Self.order(of: Array(0..<half))
    var stages: [[Complex]] = []
    var quarter = 1
    while quarter < half {
      let count = Double(4 * quarter)
      stages.append(
        (0..<quarter).flatMap { index in
          (1...3).map { Complex(phase: -2 * Double.pi * Double(index * $0) / count) }
        })
      quarter *= 4
    }
    self.stages = stages
    separators = (0...half / 2).map { index in
      Complex(phase: -Double.pi * (Double(index) / Double(half) + 0.5))
    }
  }

  private static func order(of positions: [Int]) -> [Int] {
    guard positions.count > 1 else { return positions }
    return (0..<4).flatMap { first in
      order(of: stride(from: first, to: positions.count, by: 4).map { positions[$0] })
    }
  }

  /// Returns the energies of all frequencies from zero to half of the sample rate.
  ///
  /// - Parameter samples: As many numbers of 16 bits as the size.
  /// - Returns: The energies, one more than half of the size.
  func energies(of samples: [Int16]) -> [Int64] {
    let values = transformed(samples)
    let half = size / 2
    var energies = [Int64](repeating: 0, count: half + 1)
    func energy(_ real: Int32, _ imaginary: Int32) -> Int64 {
      Int64(real) * Int64(real) + Int64(imaginary) * Int64(imaginary)
    }
    let first = values[0].divided(by: 2)
    energies[0] = energy(first.real &+ first.imaginary, 0)
    energies[half] = energy(first.real &- first.imaginary, 0)
    guard half > 1 else { return energies }
    for index in 1...half / 2 {
      let a = values[index].divided(by: 2)
      // The conjugate comes before the division, whose rounding is not symmetric.
      let b = values[half - index].conjugate.divided(by: 2)
      let sum = a + b
      let turned = (a - b) * separators[index]
      energies[half - index] = energy(
        (sum.real &- turned.real) >> 1, (turned.imaginary &- sum.imaginary) >> 1)
      energies[index] = energy(
        (sum.real &+ turned.real) >> 1, (sum.imaginary &+ turned.imaginary) >> 1)
    }
    return energies
  }

  /// Returns the complex transform of pairs of samples, in which four become one in each stage.
  private func transformed(_ samples: [Int16]) -> [Complex] {
    var values = order.map { Complex(Int32(samples[2 * $0]), Int32(samples[2 * $0 + 1])) }
    var quarter = 1
    for roots in stages {
      for start in stride(from: 0, to: values.count, by: 4 * quarter) {
        for index in 0..<quarter {
          let (first, root) = (start + index, 3 * index)
          let a = values[first].divided(by: 4)
          let b = values[first + quarter].divided(by: 4) * roots[root]
          let c = values[first + 2 * quarter].divided(by: 4) * roots[root + 1]
          let d = values[first + 3 * quarter].divided(by: 4) * roots[root + 2]
          let (minus, plus, sum, difference) = (a - c, a + c, b + d, b - d)
          values[first] = plus + sum
          values[first + 2 * quarter] = plus - sum
          values[first + quarter] = Complex(
            minus.real &+ difference.imaginary, minus.imaginary &- difference.real)
          values[first + 3 * quarter] = Complex(
            minus.real &- difference.imaginary, minus.imaginary &+ difference.real)
        }
      }
      quarter *= 4
    }
    return values
  }
}
