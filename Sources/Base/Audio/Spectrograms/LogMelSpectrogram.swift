import TensorIOSystem

/// A converter of audio to log-mel features, which many models take instead of samples.
///
/// Frames of the audio are multiplied by a Hann window and transformed; the magnitudes or energies
/// of the frequencies are summed with triangular filters, and their logarithms are the features.
///
/// ```swift
/// let spectrogram = try LogMelSpectrogram(.yamnet)
/// let features = spectrogram.features(of: audio.samples)  // frame by frame, 64 numbers each
/// ```
package struct LogMelSpectrogram: Sendable {
  /// The order of the features.
  package enum Layout: Sendable, Hashable {
    /// All bands of a frame are adjacent.
    case frames
    /// All frames of a band are adjacent.
    case bands
  }

  /// The parameters.
  package let parameters: Parameters
  private let filters: MelFilterBank
  private let kernel: SpectrumKernel

  /// Creates a converter.
  ///
  /// - Throws: ``AudioError`` if a parameter is out of range.
  package init(_ parameters: Parameters) throws(AudioError) {
    try parameters.validate()
    self.parameters = parameters
    filters = MelFilterBank(parameters)
    let length = parameters.windowLength
    let window = (0..<length).map {
      Float(0.5 - 0.5 * cos(2 * Double.pi * Double($0) / Double(length)))
    }
    kernel = SpectrumKernel(window: window, size: parameters.fftSize)
  }

  /// Returns the number of frames of audio.
  package func frameCount(sampleCount: Int) -> Int {
    guard sampleCount > 0 else { return 0 }
    let frames =
      switch parameters.framing {
      case .windows: Self.frames(sampleCount, length: parameters.windowLength, parameters.hop)
      case .transforms: Self.frames(sampleCount, length: parameters.fftSize, parameters.hop)
      case .centeredMirrored, .centeredSilent: sampleCount / parameters.hop + 1
      }
    return max(0, parameters.dropsLastFrame ? frames - 1 : frames)
  }

  private static func frames(_ sampleCount: Int, length: Int, _ hop: Int) -> Int {
    sampleCount < length ? 0 : (sampleCount - length) / hop + 1
  }

  /// Returns the features of mono audio with the sample rate of the parameters.
  package func features(of samples: [Float], layout: Layout = .frames) -> [Float] {
    let frameCount = frameCount(sampleCount: samples.count)
    let bandCount = parameters.bandCount
    var features = [Float](repeating: 0, count: frameCount * bandCount)
    guard frameCount > 0 else { return features }
    let padded = padded(samples, frameCount: frameCount)
    let offset =
      parameters.framing == .transforms ? (parameters.fftSize - parameters.windowLength) / 2 : 0
    let (frameStride, bandStride) = layout == .frames ? (bandCount, 1) : (1, frameCount)
    var memory = SpectrumKernel.Memory(kernel, bandCount: bandCount)
    let lanes = SpectrumKernel.laneCount
    for first in stride(from: 0, to: frameCount, by: lanes) {
      let count = min(lanes, frameCount - first)
      kernel.computeBands(
        of: padded, at: offset + first * parameters.hop, hop: parameters.hop, frameCount: count,
        isEnergy: parameters.power == .energy, filters, &memory)
      for band in 0..<bandCount {
        for lane in 0..<count {
          features[(first + lane) * frameStride + band * bandStride] = compressed(
            memory.bands[band][lane])
        }
      }
    }
    limitRange(&features)
    return features
  }

  private func compressed(_ value: Float) -> Float {
    guard let compression = parameters.compression else { return value }
    return compression.multiplier * log(max(value + compression.offset, compression.floor))
  }

  private func limitRange(_ features: inout [Float]) {
    guard let compression = parameters.compression else { return }
    let (scale, bias) = (compression.scale, compression.bias)
    guard compression.range != nil || scale != 1 || bias != 0 else { return }
    let lowest = compression.range.map { (features.max() ?? 0) - $0 } ?? -.infinity
    for index in features.indices {
      features[index] = scale * max(features[index], lowest) + bias
    }
  }

  /// Returns the audio with what precedes and follows it, if frames are centered.
  private func padded(_ samples: [Float], frameCount: Int) -> [Float] {
    switch parameters.framing {
    case .windows, .transforms: return samples
    case .centeredMirrored, .centeredSilent: break
    }
    let length = parameters.windowLength
    let before = parameters.fftSize / 2 - (parameters.fftSize - length) / 2
    let last = (frameCount - 1) * parameters.hop - before + length
    let isMirrored = parameters.framing == .centeredMirrored
    var padded: [Float] = []
    padded.reserveCapacity(before + max(last, samples.count))
    func appendOutside(_ positions: Range<Int>) {
      for position in positions {
        padded.append(isMirrored ? samples[Self.mirrored(position, samples.count)] : 0)
      }
    }
    appendOutside(-before..<0)
    padded += samples
    if last > samples.count { appendOutside(samples.count..<last) }
    return padded
  }

  /// Returns the position inside audio that mirrors one outside, without repeating the end.
  private static func mirrored(_ position: Int, _ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let period = 2 * (count - 1)
    let offset = ((position % period) + period) % period
    return offset < count ? offset : period - offset
  }
}
