/// What a model takes of sound instead of samples: numbers for each frame.
package struct AudioFeatures: Sendable, Hashable {
  /// What computes the features.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A log-mel spectrogram.
    case logMel = "log-mel"
    /// The frontend of models for microcontrollers, in integers.
    case micro
    /// A function of the bundle.
    case function
  }

  /// Where the frames are.
  package enum Framing: String, Sendable, Hashable, CaseIterable {
    /// Frames begin at multiples of the hop and have the length of the window.
    case windows
    /// Frames begin at multiples of the hop and have the length of the transform, with the window in
    /// the middle.
    case transforms
    /// The middles of frames are at multiples of the hop; the sound is mirrored at its ends.
    case centered
    /// The middles of frames are at multiples of the hop; the sound is surrounded by silence.
    case centeredInSilence = "centered-silence"
  }

  /// The scale on which the bands are equally wide.
  package enum MelScale: String, Sendable, Hashable, CaseIterable {
    case htk
    case slaney
  }

  /// The unit in which the sides of the bands' filters are straight.
  package enum Triangles: String, Sendable, Hashable, CaseIterable {
    case hertz
    case mels
  }

  /// A logarithm that is applied to the bands.
  package enum Logarithm: String, Sendable, Hashable, CaseIterable {
    /// The natural logarithm.
    case natural = "ln"
    /// The logarithm to base 10.
    case decimal = "log10"
    /// 10 times the logarithm to base 10.
    case decibels = "db"
  }

  /// The window by which the samples of a frame are multiplied.
  package enum WindowShape: String, Sendable, Hashable, CaseIterable {
    /// Zero at its ends.
    case hann
    /// 0.08 at its ends.
    case hamming
  }

  /// The order of the features in the tensor.
  package enum Order: String, Sendable, Hashable, CaseIterable {
    /// All bands of a frame are adjacent.
    case frames
    /// All frames of a band are adjacent.
    case bands
  }

  /// What fills the frames of a window that follow the end of the sound.
  package enum Padding: String, Sendable, Hashable, CaseIterable {
    /// The features of silence.
    case silence
    /// Zeros in place of features.
    case zeros
  }

  /// What computes the features.
  package var kind = Kind.logMel
  /// The name of the function that computes the features of a frame; `nil` for the other kinds.
  package var function: String?
  /// The number of samples in a frame.
  package var window: Int
  /// The window by which the samples of a frame are multiplied.
  package var windowShape = WindowShape.hann
  /// The number of samples between the starts of two frames.
  package var hop: Int
  /// The length of the transform; a frame is padded with zeros.
  package var transformLength: Int
  /// The number of bands.
  package var bands: Int
  /// The lowest frequency in hertz.
  package var minFrequency: Double = 0
  /// The highest frequency in hertz; `nil` for half the sample rate.
  package var maxFrequency: Double?
  /// The scale of the bands.
  package var melScale = MelScale.htk
  /// The unit in which the sides of the filters are straight.
  package var triangles = Triangles.hertz
  /// Whether each band has the same area instead of the same height.
  package var normalizesBands = false
  /// The exponent of the magnitudes: 1 or 2.
  package var power = 2
  /// The logarithm that is applied to the bands.
  package var logarithm = Logarithm.natural
  /// The number that is added before the logarithm.
  package var offset: Double = 0
  /// The lowest number of which the logarithm is computed.
  package var floor: Double = AudioFeatures.defaultFloor
  /// The largest difference from the maximum of the spectrogram; `nil` for no limit.
  package var range: Double?
  /// The number of frames whose maximum counts for the range; `nil` for all frames of a window.
  package var rangeFrames: Int?
  /// The factor that is applied last.
  package var scale: Double = 1
  /// The number that is added last.
  package var bias: Double = 0
  /// Where the frames are.
  package var framing = Framing.windows
  /// Whether the last frame is dropped.
  package var dropsLastFrame = false
  /// The order of the features in the tensor.
  package var order = Order.frames
  /// What fills the frames after the end of the sound.
  package var padding = Padding.silence

  /// The default of the lowest number of which the logarithm is computed.
  package static let defaultFloor = 1e-10
  /// The maximum length of a transform.
  package static let maxTransformLength = 16_384

  /// Creates the parameters of a spectrogram.
  package init(window: Int, hop: Int, transformLength: Int, bands: Int) {
    (self.window, self.hop) = (window, hop)
    (self.transformLength, self.bands) = (transformLength, bands)
  }

  /// Returns the smallest power of two that is not below a window's length.
  package static func transformLength(forWindow window: Int) -> Int {
    var length = 2
    while length < window, length < maxTransformLength { length *= 2 }
    return length
  }

  /// Returns the number of samples that fill a number of frames.
  package func sampleCount(ofFrames count: Int) -> Int {
    let count = computedFrames(for: max(1, count)) + (dropsLastFrame ? 1 : 0)
    switch framing {
    case .windows: return window + (count - 1) * hop
    case .transforms: return transformLength + (count - 1) * hop
    case .centered, .centeredInSilence: return max(1, (count - 1) * hop)
    }
  }

  /// Returns the number of frames that are computed for those of a window: whole groups with one maximum.
  package func computedFrames(for count: Int) -> Int {
    guard let rangeFrames, rangeFrames > 0 else { return count }
    return (count + rangeFrames - 1) / rangeFrames * rangeFrames
  }

  /// Whether the features of frames that two windows have in common are computed once.
  package var areShared: Bool { kind != .logMel || rangeFrames != nil }
}
