/// The declaration of an `audio` layer: a window of sound, as samples or as a spectrogram, or the sound that a model makes.
public struct AudioLayer: Sendable, Hashable {
  /// The declared shape.
  public var shape: TensorShape
  /// The declared element type; if `nil`, the tensor determines it.
  public var elementType: ElementType?
  /// The number of samples per second; sound of another rate for an input is resampled.
  public var sampleRate: Int
  /// The number of samples between the starts of two windows; `nil` for adjacent windows.
  public var hop: Int?
  /// The number of samples before each window that the tensor takes as well: the end of the window before, and silence before the
  /// first one.
  package var context: Int
  /// What happens to samples at the end that do not fill a window.
  package var remainder: Remainder
  /// The features that are computed from the samples; `nil` for the samples themselves.
  package var features: AudioFeatures?
  /// What happens to samples of an output that are not between -1 and 1.
  package var peak: Peak

  /// What happens to samples that are not between -1 and 1.
  package enum Peak: String, Sendable, Hashable, CaseIterable {
    /// They become -1 or 1.
    case clip
    /// All samples are divided by the largest one.
    case scale
  }

  /// What happens to samples at the end that do not fill a window.
  package enum Remainder: String, Sendable, Hashable, CaseIterable {
    /// The last window is padded with silence.
    case pad
    /// The last window begins earlier and ends with the sound.
    case align
    /// The samples are ignored.
    case drop
  }

  /// The number of samples between the starts of windows of a tensor of fixed length; `nil` if each sound has one window.
  package var windowHop: Int? {
    guard let count = shape.elementCount else { return nil }
    let length = features.map { $0.sampleCount(ofFrames: count / max(1, $0.bands)) } ?? count
    return hop ?? max(1, length - context)
  }

  /// Creates the declaration of an audio layer.
  package init(
    shape: TensorShape, elementType: ElementType? = nil, sampleRate: Int, hop: Int? = nil,
    context: Int = 0, remainder: Remainder = .pad, features: AudioFeatures? = nil,
    peak: Peak = .clip
  ) {
    self.shape = shape
    self.elementType = elementType
    self.sampleRate = sampleRate
    self.hop = hop
    self.context = context
    self.remainder = remainder
    self.features = features
    self.peak = peak
  }
}
