import TensorIOSystem

/// The discrete Fourier transform of real numbers, of eight signals at a time.
///
/// The size is even and a product of 2, 3 and 5. Pairs of numbers are transformed as complex
/// numbers with Stockham's algorithm, which needs no reordering.
struct RealFourierTransform: Sendable {
  /// A number of each signal.
  typealias Lanes = SIMD8<Float>

  /// Complex numbers of all signals.
  struct Complexes {
    var real: [Lanes]
    var imaginary: [Lanes]

    init(count: Int) {
      real = [Lanes](repeating: .zero, count: count)
      imaginary = real
    }
  }

  /// The number of real numbers of a signal.
  let size: Int
  /// The radices of the stages.
  private let radices: [Int]
  /// The roots of unity of the order of the size: cosines and negative sines.
  private let roots: [SIMD2<Float>]

  /// Creates a transform of a supported size.
  init(size: Int) {
    precondition(Self.supports(size))
    self.size = size
    radices = Self.radices(of: size / 2) ?? []
    roots = (0..<size).map { index in
      let angle = 2 * Double.pi * Double(index) / Double(size)
      return SIMD2(Float(cos(angle)), Float(-sin(angle)))
    }
  }

  /// Returns whether a transform can have a size.
  static func supports(_ size: Int) -> Bool {
    size >= 2 && size.isMultiple(of: 2) && radices(of: size / 2) != nil
  }

  private static func radices(of count: Int) -> [Int]? {
    var (rest, radices): (Int, [Int]) = (count, [])
    for radix in [4, 2, 3, 5] {
      while rest.isMultiple(of: radix) {
        radices.append(radix)
        rest /= radix
      }
    }
    return rest == 1 ? radices : nil
  }

  /// Writes the energies of all frequencies from zero to half of the sample rate.
  ///
  /// - Parameters:
  ///   - input: The signals: even samples are real parts, odd ones imaginary parts. They are
  ///     overwritten.
  ///   - scratch: Memory of the same size.
  ///   - energies: The result, of `size / 2 + 1` frequencies.
  func energies(
    of input: inout Complexes, scratch: inout Complexes, into energies: inout [Lanes]
  ) {
    precondition(input.real.count == size / 2 && input.imaginary.count == size / 2)
    precondition(scratch.real.count == size / 2 && scratch.imaginary.count == size / 2)
    precondition(energies.count == size / 2 + 1)
    var (count, stride) = (size / 2, 1)
    for radix in radices {
      transform(&input, to: &scratch, radix: radix, count: count, stride: stride)
      swap(&input, &scratch)
      (count, stride) = (count / radix, stride * radix)
    }
    separate(input, into: &energies)
  }

  private func transform(
    _ source: inout Complexes, to target: inout Complexes, radix: Int, count: Int, stride: Int
  ) {
    unsafe source.real.withUnsafeBufferPointer { real in
      unsafe source.imaginary.withUnsafeBufferPointer { imaginary in
        unsafe target.real.withUnsafeMutableBufferPointer { targetReal in
          unsafe target.imaginary.withUnsafeMutableBufferPointer { targetImaginary in
            guard
              let real = real.baseAddress, let imaginary = imaginary.baseAddress,
              let targetReal = targetReal.baseAddress,
              let targetImaginary = targetImaginary.baseAddress
            else { return }
            let stage = unsafe Stage(
              real: real, imaginary: imaginary, targetReal: targetReal,
              targetImaginary: targetImaginary, roots: roots, count: count, stride: stride)
            switch radix {
            case 2: stage.run2()
            case 4: stage.run4()
            default: stage.run(radix: radix)
            }
          }
        }
      }
    }
  }

  /// Writes the energies of real signals from the transform of their pairs.
  private func separate(_ pairs: Complexes, into energies: inout [Lanes]) {
    let half = size / 2
    for index in 0...half {
      let (first, second) = (index % half, (half - index) % half)
      let (a, b) = (pairs.real[first], pairs.imaginary[first])
      let (c, d) = (pairs.real[second], pairs.imaginary[second])
      let root = index == half ? SIMD2<Float>(-1, 0) : roots[index]
      let (evenReal, evenImaginary) = ((a + c) * 0.5, (b - d) * 0.5)
      let (oddReal, oddImaginary) = ((b + d) * 0.5, (c - a) * 0.5)
      let real = evenReal + oddReal * root.x - oddImaginary * root.y
      let imaginary = evenImaginary + oddReal * root.y + oddImaginary * root.x
      energies[index] = real * real + imaginary * imaginary
    }
  }

  /// One stage of Stockham's algorithm.
  @safe private struct Stage {
    let real: UnsafePointer<Lanes>
    let imaginary: UnsafePointer<Lanes>
    let targetReal: UnsafeMutablePointer<Lanes>
    let targetImaginary: UnsafeMutablePointer<Lanes>
    let roots: [SIMD2<Float>]
    /// The size of the transforms of this stage.
    let count: Int
    /// The number of transforms.
    let stride: Int

    func run2() {
      let half = count / 2
      for group in 0..<half {
        let root = roots[2 * stride * group]
        for each in 0..<stride {
          let (first, second) = (each + stride * group, each + stride * (group + half))
          let target = each + stride * 2 * group
          let (a, b) = unsafe (real[first], imaginary[first])
          let (c, d) = unsafe (real[second], imaginary[second])
          unsafe targetReal[target] = a + c
          unsafe targetImaginary[target] = b + d
          store(a - c, b - d, times: root, at: target + stride)
        }
      }
    }

    func run4() {
      let quarter = count / 4
      for group in 0..<quarter {
        let (one, two) = (roots[2 * stride * group], roots[4 * stride * group])
        let three = roots[6 * stride * group]
        for each in 0..<stride {
          let (first, step) = (each + stride * group, stride * quarter)
          let target = each + stride * 4 * group
          let (a, b) = unsafe (real[first], imaginary[first])
          let (c, d) = unsafe (real[first + step], imaginary[first + step])
          let (e, f) = unsafe (real[first + 2 * step], imaginary[first + 2 * step])
          let (g, h) = unsafe (real[first + 3 * step], imaginary[first + 3 * step])
          let (sumReal, sumImaginary) = (a + e, b + f)
          let (differenceReal, differenceImaginary) = (a - e, b - f)
          let (otherSumReal, otherSumImaginary) = (c + g, d + h)
          let (otherReal, otherImaginary) = (c - g, d - h)
          unsafe targetReal[target] = sumReal + otherSumReal
          unsafe targetImaginary[target] = sumImaginary + otherSumImaginary
          store(
            differenceReal + otherImaginary, differenceImaginary - otherReal, times: one,
            at: target + stride)
          store(
            sumReal - otherSumReal, sumImaginary - otherSumImaginary, times: two,
            at: target + 2 * stride)
          store(
            differenceReal - otherImaginary, differenceImaginary + otherReal, times: three,
            at: target + 3 * stride)
        }
      }
    }

    func run(radix: Int) {
      let part = count / radix
      for group in 0..<part {
        for output in 0..<radix {
          let twiddle = roots[2 * stride * group * output]
          for each in 0..<stride {
            var (sumReal, sumImaginary) = (Lanes.zero, Lanes.zero)
            for input in 0..<radix {
              let root = roots[input * output % radix * (roots.count / radix)]
              let source = each + stride * (group + part * input)
              let (a, b) = unsafe (real[source], imaginary[source])
              sumReal += a * root.x - b * root.y
              sumImaginary += a * root.y + b * root.x
            }
            store(
              sumReal, sumImaginary, times: twiddle, at: each + stride * (radix * group + output))
          }
        }
      }
    }

    @inline(__always) private func store(
      _ valueReal: Lanes, _ valueImaginary: Lanes, times root: SIMD2<Float>, at target: Int
    ) {
      unsafe targetReal[target] = valueReal * root.x - valueImaginary * root.y
      unsafe targetImaginary[target] = valueReal * root.y + valueImaginary * root.x
    }
  }
}
