import TensorIOSystem

/// A converter of sound to the features of models for microcontrollers, in integers.
///
/// The energies of a frame are summed in bands. What is constant in a band is taken for noise and mostly subtracted; the
/// rest is amplified the more, the less noise there is. A feature is 64 times the natural logarithm. All steps have the
/// integers of the frontend in TensorFlow Lite Micro.
///
/// ```swift
/// let frontend = try MicroFrontend(.init())
/// var noise = frontend.initialNoise
/// let features = frontend.features(of: samples[0..<480], &noise)  // 40 numbers
/// ```
package struct MicroFrontend: Sendable {
  /// The parameters.
  package let parameters: Parameters
  private let window: [Int64]
  private let transform: IntegerFourierTransform
  private let filters: [Filter]
  private let gains: NoiseGain

  /// A triangle: what its frequencies add to the band before, and to this one.
  private struct Filter: Sendable {
    let first: Int
    let falling: [Int64]
    let rising: [Int64]
  }

  private static let weightBits: Int64 = 12
  private static let noiseBits: UInt64 = 14
  private static let smoothingBits: UInt64 = 10
  /// The weights of a frame in the estimate of the noise, of even and of odd bands.
  private static let smoothing: [UInt64] = [409, 983]
  /// What remains of a band at least.
  private static let remainder: UInt64 = 819
  private static let outputBits: UInt64 = 6

  /// Creates a converter.
  ///
  /// - Throws: ``AudioError`` if a parameter is out of range.
  package init(_ parameters: Parameters) throws(AudioError) {
    try parameters.validate()
    self.parameters = parameters
    let length = parameters.windowLength
    let step = Float(2 * Double.pi / Double(length))
    window = (0..<length).map { index in
      // The original computes in single precision, on which some weights depend.
      let weight: Float = 0.5 - 0.5 * cos(step * (Float(index) + 0.5))
      return Int64((weight * 4096 + 0.5).rounded(.down))
    }
    transform = IntegerFourierTransform(size: parameters.fftSize)
    filters = Self.filters(parameters)
    gains = NoiseGain(correction: Self.correction(parameters.fftSize))
  }

  /// The estimate of the noise before the first frame.
  package var initialNoise: [UInt32] { [UInt32](repeating: 0, count: parameters.bandCount) }

  /// Returns the number of frames of sound.
  package func frameCount(sampleCount: Int) -> Int {
    sampleCount < parameters.windowLength
      ? 0 : (sampleCount - parameters.windowLength) / parameters.hop + 1
  }

  /// Returns the features of the next frame, and updates the estimate of the noise.
  ///
  /// - Parameters:
  ///   - samples: As many samples as the window has, from -1 to 1; they become integers of 16 bits.
  ///   - noise: The estimate of the noise, which the next frame needs.
  /// - Returns: The features, one for each band.
  package func features(of samples: ArraySlice<Float>, _ noise: inout [UInt32]) -> [Int32] {
    let (scaled, shift) = scaled(samples)
    let energies = transform.energies(of: scaled)
    var features: [Int32] = []
    features.reserveCapacity(parameters.bandCount)
    let correction = Self.correction(parameters.fftSize)
    var sum: Int64 = 0
    for (index, filter) in filters.enumerated() {
      var (falling, rising) = (sum, Int64(0))
      for offset in filter.falling.indices {
        let energy = energies[filter.first + offset]
        falling &+= energy &* filter.falling[offset]
        rising &+= energy &* filter.rising[offset]
      }
      sum = rising
      // The frequencies below the first band belong to none.
      guard index > 0 else { continue }
      let root = UInt64(Self.squareRoot(falling)) >> UInt64(shift)
      features.append(
        feature(of: root, band: index - 1, &noise[index - 1], correction: correction))
    }
    return features
  }

  /// Multiplies samples by the window, and shifts them so that they use all bits.
  private func scaled(_ samples: ArraySlice<Float>) -> (samples: [Int16], shift: Int) {
    var windowed = [Int64](repeating: 0, count: window.count)
    var largest: Int64 = 0
    for (offset, sample) in samples.prefix(window.count).enumerated() {
      let value = (Int64(Self.pcm(sample)) * window[offset]) >> Self.weightBits
      windowed[offset] = value
      largest = max(largest, abs(value))
    }
    let shift = max(0, 15 - Self.bitCount(UInt64(largest)))
    var scaled = [Int16](repeating: 0, count: parameters.fftSize)
    for (index, value) in windowed.enumerated() {
      scaled[index] = Int16(truncatingIfNeeded: value << Int64(shift))
    }
    return (scaled, shift)
  }

  /// Returns a sample as an integer of 16 bits; 0 for NaN.
  private static func pcm(_ sample: Float) -> Int16 {
    let value = (sample * 32_768).rounded(.toNearestOrEven)
    guard value == value else { return 0 }
    return Int16(max(-32_768, min(32_767, value)))
  }

  /// Subtracts noise from the root of a band's energy, amplifies it and takes the logarithm.
  private func feature(
    of value: UInt64, band: Int, _ estimate: inout UInt32, correction: Int
  ) -> Int32 {
    let smoothing = Self.smoothing[band & 1]
    let raised = (value << Self.smoothingBits) & 0xFFFF_FFFF
    let noise =
      (raised * smoothing + UInt64(estimate) * ((1 << Self.noiseBits) - smoothing))
      >> Self.noiseBits
    estimate = UInt32(truncatingIfNeeded: noise)
    let signal = max(
      (raised - min(noise, raised)) >> Self.smoothingBits,
      (value * Self.remainder) >> Self.noiseBits)
    let ratio = gains.amplified(Int64(signal), noise: UInt32(truncatingIfNeeded: noise))
    let amplified =
      NoiseGain.compressed(ratio, outputBits: Int64(Self.outputBits))
      << Int64(correction)
    guard amplified > 1 else { return 0 }
    return Int32(min(Self.logarithm(UInt64(amplified)), 0xFFFF))
  }

  // MARK: Tables

  /// The power of two by which the roots of energies are too small.
  private static func correction(_ fftSize: Int) -> Int {
    bitCount(UInt64(fftSize)) - 1 - Int(weightBits) / 2
  }

  private static func mel(_ hertz: Float) -> Float {
    1127 * log1p(hertz / 700)
  }

  private static func filters(_ parameters: Parameters) -> [Filter] {
    let hertz = Float(parameters.sampleRate) / Float(parameters.fftSize)
    let low = mel(Float(parameters.minFrequency))
    let spacing =
      (mel(Float(parameters.maxFrequency)) - low) / Float(parameters.bandCount + 1)
    let centers = (0...parameters.bandCount).map { low + spacing * Float($0 + 1) }
    var frequency = Int(1.5 + Float(parameters.minFrequency) / hertz)
    return centers.enumerated().map { index, center in
      let first = frequency
      let before = index == 0 ? low : centers[index - 1]
      var (falling, rising): ([Int64], [Int64]) = ([], [])
      while frequency <= parameters.fftSize / 2, mel(Float(frequency) * hertz) <= center {
        let weight = (center - mel(Float(frequency) * hertz)) / (center - before)
        falling.append(fixed(weight))
        rising.append(fixed(1 - weight))
        frequency += 1
      }
      return Filter(first: first, falling: falling, rising: rising)
    }
  }

  private static func fixed(_ weight: Float) -> Int64 {
    Int64((weight * 4096 + 0.5).rounded(.down))
  }

  // MARK: Integers

  /// Returns the number of bits of a number; 0 for 0.
  static func bitCount(_ value: UInt64) -> Int { UInt64.bitWidth - value.leadingZeroBitCount }

  /// Returns the nearest integer to a square root; of numbers below 2³² at most 16 bits.
  private static func squareRoot(_ value: Int64) -> Int64 {
    guard value > 0 else { return 0 }
    var root = Int64(Double(value).squareRoot())
    while root * root > value { root -= 1 }
    while (root + 1) * (root + 1) <= value { root += 1 }
    let limit: Int64 = value < 1 << 32 ? 0xFFFF : 0xFFFF_FFFF
    return value - root * root > root && root != limit ? root + 1 : root
  }

  /// The differences of the logarithm to base 2 from straight lines between 1 and 2, in units of 2⁻¹⁶.
  private static let logarithms: [Int64] =
    (0...128).map { index in
      let fraction = Double(index) / 128
      return Int64((65_536 * (log2(1 + fraction) - fraction) + 0.5).rounded(.down))
    } + [0]

  /// Returns 64 times the natural logarithm.
  private static func logarithm(_ value: UInt64) -> Int64 {
    let whole = bitCount(value) - 1
    var fraction = Int64(value) - (1 << Int64(whole))
    fraction = whole < 16 ? fraction << Int64(16 - whole) : fraction >> Int64(whole - 16)
    let segment = Int(fraction >> 9)
    let (low, high) = (logarithms[segment], logarithms[segment + 1])
    let relative = ((high - low) * (fraction - Int64(segment << 9))) >> 16
    let binary = (Int64(whole) << 16) + fraction + low + relative
    let natural = (45_426 * binary + 32_768) >> 16
    return ((natural << 6) + 32_768) >> 16
  }
}
