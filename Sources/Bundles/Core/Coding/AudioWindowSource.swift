import TensorIOAudio
package import TensorIOBundle

/// The windows of the sound in a value, one for each run of a model.
struct AudioWindowSource {
  /// The samples of one window, without padding.
  struct Window {
    /// The beginning, in seconds.
    let start: Double
    /// The end of the sound in the window, in seconds.
    let end: Double
    /// The samples, at the rate of the layer.
    let samples: [Float]
  }

  /// The maximum number of windows of a sound: a small file with a low sample rate can have any number.
  static let maxWindows = 100_000

  /// Reads encoded sound as it is needed; `nil` for samples in memory.
  private var reader: AudioWindowReader?
  private var samples: [Float] = []
  private var windows: AudioWindows?
  private let sampleRate: Int
  /// The number of samples of silence before the sound.
  private let context: Int
  /// The number of windows that were returned.
  private var count = 0
  private var buffer: [Float]

  /// Creates the windows of a value for a layer.
  ///
  /// - Parameters:
  ///   - value: Encoded sound, sound in memory, or the samples of one channel at the rate of the layer.
  ///   - encoder: The encoder of the layer.
  ///   - isVariable: Whether the tensor takes sound of any length, so that there is one window.
  /// - Throws: A ``ModelError`` if the value is not sound.
  init(
    _ value: LayerValue, _ encoder: AudioEncoder, isVariable: Bool
  ) throws(ModelError) {
    let layer = encoder.layer
    sampleRate = layer.sampleRate
    context = isVariable ? 0 : min(layer.context, max(0, encoder.sampleCount - 1))
    let hop = layer.hop ?? encoder.sampleCount - context
    buffer = Array(repeating: 0, count: isVariable ? 0 : encoder.sampleCount)
    if case .numbers(let numbers) = value, !numbers.areSamples(of: layer) {
      throw ModelError(
        .input,
        .wrongType(
          expected: "the samples of one channel", actual: "numbers with the shape \(numbers.shape)")
      )
    }
    do throws(AudioError) {
      if case .bytes(let bytes) = value, !isVariable {
        let sound = try AudioReader(decoding: bytes, sampleRate: sampleRate, mixesToMono: true)
        try Self.checkLength(sound.frameCount ?? .max, hop: hop)
        reader = try AudioWindowReader(
          sound, length: encoder.sampleCount, hop: hop,
          remainder: AudioWindows.Remainder(layer.remainder), leadingSilence: context)
      } else if let samples = try value.samples(atRate: sampleRate) {
        let isEmpty = samples.isEmpty
        self.samples =
          context > 0 && !isEmpty ? [Float](repeating: 0, count: context) + samples : samples
        if !isVariable { try Self.checkLength(samples.count, hop: hop) }
        windows = try AudioWindows(
          frameCount: self.samples.count,
          length: isVariable ? max(1, samples.count) : encoder.sampleCount,
          hop: isVariable ? nil : hop,
          remainder: AudioWindows.Remainder(layer.remainder))
      }
    } catch {
      throw ModelError(.input, .audio(error))
    }
    guard reader != nil || windows != nil else {
      throw ModelError(.input, .wrongType(expected: "sound", actual: value.kindDescription))
    }
  }

  private static func checkLength(_ sampleCount: Int, hop: Int) throws(AudioError) {
    let (limit, isUnlimited) = maxWindows.multipliedReportingOverflow(by: hop)
    guard isUnlimited || sampleCount <= limit else {
      throw AudioError(.tooLong(samples: sampleCount, limit: limit))
    }
  }

  /// Returns the next window, or `nil` after the last one.
  ///
  /// - Throws: A ``ModelError`` if the sound has no samples.
  mutating func next() throws(ModelError) -> Window? {
    guard let window = nextWindow() else {
      guard count > 0 else {
        throw ModelError(.input, .wrongType(expected: "sound", actual: "sound without samples"))
      }
      return nil
    }
    count += 1
    return window
  }

  private mutating func nextWindow() -> Window? {
    if let windows {
      guard count < windows.count else { return nil }
      let window = windows[count]
      return Window(window, Array(samples[window.frames]), sampleRate, context)
    }
    return reader?.next(into: &buffer).map {
      Window($0, Array(buffer.prefix($0.frames.count)), sampleRate, context)
    }
  }
}

extension AudioWindowSource.Window {
  fileprivate init(
    _ window: AudioWindow, _ samples: [Float], _ sampleRate: Int, _ context: Int
  ) {
    let range = window.frames.sound(after: context)
    self.init(
      start: Double(range.lowerBound) / Double(sampleRate),
      end: Double(range.upperBound) / Double(sampleRate), samples: samples)
  }
}

extension Range<Int> {
  /// Returns the part of the sound that is new in a window, whose frames begin with a number of frames of context.
  package func sound(after context: Int) -> Range<Int> {
    // Window by window, frames count from the silence before the sound.
    lowerBound..<Swift.max(lowerBound, upperBound - context)
  }
}

extension LayerValue {
  /// Returns the samples of sound with one channel at a rate; `nil` for other values.
  ///
  /// - Throws: A ``ModelError`` if the sound cannot be decoded.
  package func speech(atRate rate: Int) throws(ModelError) -> [Float]? {
    do throws(AudioError) {
      return try samples(atRate: rate)
    } catch {
      throw ModelError(.input, .audio(error))
    }
  }

  /// Returns the samples of sound with one channel at a rate; `nil` for other values.
  fileprivate func samples(atRate rate: Int) throws(AudioError) -> [Float]? {
    switch self {
    case .bytes(let bytes):
      try AudioBuffer(decoding: bytes).mono().converted(toSampleRate: rate).samples
    case .audio(let sound): try sound.mono().converted(toSampleRate: rate).samples
    case .numbers(let numbers): numbers.samples
    case .strings, .tokens, .image, .classification, .list: nil
    }
  }
}

extension Numbers {
  /// The numbers as samples: integers of 8, 16 and 32 bits are those of PCM, as in WAV files.
  fileprivate var samples: [Float] {
    switch storage {
    case .uint8(let values): values.map { (Float($0) - 128) / 128 }
    case .int16(let values): values.map { Float($0) / 32768 }
    case .int32(let values): values.map { Float($0) / 2_147_483_648 }
    default: floats
    }
  }

  /// Whether the numbers are the samples of one channel, in one axis or in the shape of a layer's tensor.
  fileprivate func areSamples(of layer: AudioLayer) -> Bool {
    shape.count { $0 != 1 } <= 1
      || layer.features == nil && shape.map(Optional.some) == layer.shape.dimensions
  }
}
