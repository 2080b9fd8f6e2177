import TensorIOSystem

/// A converter of audio to log-mel features, which many models take instead of samples.
///
/// Frames of the audio are multiplied by a window and transformed; the magnitudes or energies
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
    let (length, mean) = (parameters.windowLength, parameters.windowShape.mean)
    let window = (0..<length).map {
      Float(mean - (1 - mean) * cos(2 * Double.pi * Double($0) / Double(length)))
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
    let frames = 0..<frameCount(sampleCount: samples.count)
    var features = unlimitedFeatures(of: samples, frames, layout: layout)
    limitRange(&features, maximum: features.max() ?? 0)
    return features
  }

  /// Returns the features of some frames of audio, before ``limitRange(_:maximum:)``.
  ///
  /// Use both for audio of which not all features are in memory at a time.
  package func unlimitedFeatures(
    of samples: [Float], _ frames: Range<Int>, layout: Layout = .frames
  ) -> [Float] {
    let frameCount = frames.count
    let bandCount = parameters.bandCount
    var features = [Float](repeating: 0, count: frameCount * bandCount)
    guard frameCount > 0 else { return features }
    let (padded, start) = padded(samples, frames)
    let (frameStride, bandStride) = layout == .frames ? (bandCount, 1) : (1, frameCount)
    var memory = SpectrumKernel.Memory(kernel, bandCount: bandCount)
    let lanes = SpectrumKernel.laneCount
    for first in stride(from: 0, to: frameCount, by: lanes) {
      let count = min(lanes, frameCount - first)
      kernel.computeBands(
        of: padded, at: start + first * parameters.hop, hop: parameters.hop, frameCount: count,
        isEnergy: parameters.power == .energy, filters, &memory)
      for band in 0..<bandCount {
        for lane in 0..<count {
          features[(first + lane) * frameStride + band * bandStride] = compressed(
            memory.bands[band][lane])
        }
      }
    }
    return features
  }

  private func compressed(_ value: Float) -> Float {
    guard let compression = parameters.compression else { return value }
    return compression.multiplier * log(max(value + compression.offset, compression.floor))
  }

  /// Limits the difference of features from a maximum, if the parameters do, and scales them.
  package func limitRange(_ features: inout [Float], maximum: Float) {
    guard let compression = parameters.compression else { return }
    let (scale, bias) = (compression.scale, compression.bias)
    guard compression.range != nil || scale != 1 || bias != 0 else { return }
    let lowest = compression.range.map { maximum - $0 } ?? -.infinity
    for index in features.indices {
      features[index] = scale * max(features[index], lowest) + bias
    }
  }

  /// Returns samples with those of some frames, and where the first frame begins in them.
  private func padded(
    _ samples: [Float], _ frames: Range<Int>
  ) -> (samples: [Float], start: Int) {
    let (length, hop) = (parameters.windowLength, parameters.hop)
    let margin = (parameters.fftSize - length) / 2
    switch parameters.framing {
    case .windows: return (samples, frames.lowerBound * hop)
    case .transforms: return (samples, frames.lowerBound * hop + margin)
    case .centeredMirrored, .centeredSilent: break
    }
    let before = parameters.fftSize / 2 - margin
    let start = frames.lowerBound * hop - before
    let end = (frames.upperBound - 1) * hop - before + length
    let isMirrored = parameters.framing == .centeredMirrored
    var padded: [Float] = []
    padded.reserveCapacity(end - start)
    func appendOutside(_ positions: Range<Int>) {
      for position in positions {
        padded.append(isMirrored ? samples[Self.mirrored(position, samples.count)] : 0)
      }
    }
    if start < 0 { appendOutside(start..<min(end, 0)) }
    padded += samples[min(max(start, 0), samples.count)..<min(max(end, 0), samples.count)]
    if end > samples.count { appendOutside(max(start, samples.count)..<end) }
    return (padded, 0)
  }

  /// Returns the position inside audio that mirrors one outside, without repeating the end.
  private static func mirrored(_ position: Int, _ count: Int) -> Int {
    guard count > 1 else { return 0 }
    let period = 2 * (count - 1)
    let offset = ((position % period) + period) % period
    return offset < count ? offset : period - offset
  }
}
