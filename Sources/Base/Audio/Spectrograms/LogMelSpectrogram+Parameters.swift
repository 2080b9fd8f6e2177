extension LogMelSpectrogram {
  /// The parameters of a spectrogram, as a model was trained with.
  package struct Parameters: Sendable, Hashable {
    /// Where the frames are.
    package enum Framing: Sendable, Hashable {
      /// Frames begin at multiples of the hop and have the length of the window, as in TensorFlow.
      case windows
      /// Frames begin at multiples of the hop and have the size of the transform, with the window
      /// in the middle, as in librosa and torchaudio without centering.
      case transforms
      /// The middles of frames are at multiples of the hop; the audio is mirrored at its ends, as
      /// in librosa's `pad_mode="reflect"` and torchaudio.
      case centeredMirrored
      /// The middles of frames are at multiples of the hop; the audio is surrounded by silence, as
      /// in librosa.
      case centeredSilent
    }

    /// The window by which the samples of a frame are multiplied, which is periodic.
    package enum WindowShape: Sendable, Hashable {
      /// Zero at its ends.
      case hann
      /// 0.08 at its ends.
      case hamming

      /// The mean of the window; the rest is a cosine.
      var mean: Double { self == .hann ? 0.5 : 0.54 }
    }

    /// The unit in which the sides of the filters are straight.
    package enum Triangles: Sendable, Hashable {
      /// As in librosa and torchaudio.
      case hertz
      /// As in TensorFlow.
      case mels
    }

    /// The exponent of the magnitudes that are summed.
    package enum Power: Int, Sendable, Hashable {
      /// Magnitudes.
      case magnitude = 1
      /// Energies.
      case energy = 2
    }

    /// The logarithm of the sums.
    ///
    /// A feature is `multiplier * log(max(sum + offset, floor))`, at least the maximum minus the
    /// range, times the scale, plus the bias.
    package struct Compression: Sendable, Hashable {
      /// The number that is added to each value.
      package var offset: Float
      /// The lowest value.
      package var floor: Float
      /// The factor of the natural logarithm.
      package var multiplier: Float
      /// The largest difference from the maximum of the spectrogram; `nil` if there is no limit.
      package var range: Float?
      /// The factor that is applied last.
      package var scale: Float = 1
      /// The number that is added last.
      package var bias: Float = 0

      /// Returns the natural logarithm of values plus an offset, or of at least a floor.
      package static func natural(offset: Float = 0, floor: Float = 0) -> Compression {
        Compression(offset: offset, floor: floor, multiplier: 1)
      }

      /// Returns the logarithm to base 10.
      package static func base10(floor: Float) -> Compression {
        Compression(offset: 0, floor: floor, multiplier: 0.4342944819)
      }

      /// Returns ten times the logarithm to base 10.
      package static func decibels(floor: Float, range: Float? = nil) -> Compression {
        Compression(offset: 0, floor: floor, multiplier: 4.342944819, range: range)
      }

      /// The compression of Whisper.
      package static var whisper: Compression {
        var compression = base10(floor: 1e-10)
        compression.range = 8
        (compression.scale, compression.bias) = (0.25, 1)
        return compression
      }
    }

    /// The number of samples per second.
    package var sampleRate: Int
    /// The number of samples of the periodic Hann window.
    package var windowLength: Int
    /// The number of samples between frames.
    package var hop: Int
    /// The size of the Fourier transform: even, a product of 2, 3 and 5, at least the window's
    /// length.
    package var fftSize: Int
    /// The number of bands.
    package var bandCount: Int
    /// The frequency at which the first band begins, in hertz.
    package var minFrequency: Double
    /// The frequency at which the last band ends, in hertz.
    package var maxFrequency: Double
    /// The scale on which bands have equal widths.
    package var scale = MelScale.htk
    /// The unit in which the sides of the filters are straight.
    package var triangles = Triangles.hertz
    /// Whether filters have equal areas instead of equal heights, as librosa's `norm="slaney"`.
    package var isNormalized = false
    /// The exponent of the magnitudes that are summed.
    package var power = Power.energy
    /// The logarithm; `nil` returns the sums.
    package var compression: Compression?
    /// The window by which the samples of a frame are multiplied.
    package var windowShape = WindowShape.hann
    /// Where the frames are.
    package var framing = Framing.windows
    /// Whether the last frame is dropped, as Whisper does.
    package var dropsLastFrame = false

    /// Creates parameters; those without an argument have the defaults of torchaudio, except that
    /// frames are not centered.
    package init(
      sampleRate: Int, windowLength: Int, hop: Int, fftSize: Int, bandCount: Int,
      minFrequency: Double = 0, maxFrequency: Double? = nil
    ) {
      (self.sampleRate, self.windowLength, self.hop) = (sampleRate, windowLength, hop)
      (self.fftSize, self.bandCount) = (fftSize, bandCount)
      self.minFrequency = minFrequency
      self.maxFrequency = maxFrequency ?? Double(sampleRate) / 2
    }

    /// Throws an error if a parameter is out of range.
    func validate() throws(AudioError) {
      try AudioLimits.validate(sampleRate: sampleRate)
      try require(2...Self.maxSize ~= fftSize, "the size of the transform is \(fftSize)")
      try require(
        RealFourierTransform.supports(fftSize),
        "the size of the transform, \(fftSize), is not an even product of 2, 3 and 5")
      try require(
        1...fftSize ~= windowLength,
        "the window of \(windowLength) samples does not fit the transform of \(fftSize)")
      try require(1...AudioLimits.maxSamples ~= hop, "the hop is \(hop)")
      try require(1...Self.maxBandCount ~= bandCount, "the number of bands is \(bandCount)")
      try require(
        minFrequency >= 0 && maxFrequency > minFrequency
          && maxFrequency <= Double(AudioLimits.maxSampleRate),
        "the frequencies \(minFrequency) to \(maxFrequency) are no range")
    }

    /// The maximum size of a transform.
    private static let maxSize = 1 << 14
    /// The maximum number of bands.
    private static let maxBandCount = 1024

    private func require(_ condition: Bool, _ message: String) throws(AudioError) {
      guard condition else { throw AudioError(.invalidFormat(message: message)) }
    }
  }
}

extension LogMelSpectrogram.Parameters {
  /// The parameters of YAMNet: 64 bands of 125 to 7500 Hz, 100 frames a second.
  package static var yamnet: Self {
    var parameters = Self(
      sampleRate: 16_000, windowLength: 400, hop: 160, fftSize: 512, bandCount: 64,
      minFrequency: 125, maxFrequency: 7500)
    parameters.triangles = .mels
    parameters.power = .magnitude
    parameters.compression = .natural(offset: 0.001)
    return parameters
  }

  /// The parameters of Whisper: 80 bands, 100 frames a second.
  package static var whisper: Self {
    var parameters = Self(
      sampleRate: 16_000, windowLength: 400, hop: 160, fftSize: 400, bandCount: 80)
    parameters.scale = .slaney
    parameters.isNormalized = true
    parameters.compression = .whisper
    parameters.framing = .centeredMirrored
    parameters.dropsLastFrame = true
    return parameters
  }
}
