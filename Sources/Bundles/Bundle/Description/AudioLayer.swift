/// The declaration of an `audio` layer: a window of sound, as samples or as a spectrogram.
public struct AudioLayer: Sendable, Hashable {
  /// The declared shape.
  public var shape: TensorShape
  /// The declared element type; if `nil`, the tensor determines it.
  public var elementType: ElementType?
  /// The number of samples per second; sound of another rate is resampled.
  public var sampleRate: Int
  /// The number of samples between the starts of two windows; `nil` for adjacent windows.
  public var hop: Int?
  /// What happens to samples at the end that do not fill a window.
  package var remainder: Remainder
  /// The features that are computed from the samples; `nil` for the samples themselves.
  package var features: AudioFeatures?

  /// What happens to samples at the end that do not fill a window.
  package enum Remainder: String, Sendable, Hashable, CaseIterable {
    /// The last window is padded with silence.
    case pad
    /// The last window begins earlier and ends with the sound.
    case align
    /// The samples are ignored.
    case drop
  }

  /// Creates the declaration of an audio layer.
  package init(
    shape: TensorShape, elementType: ElementType? = nil, sampleRate: Int, hop: Int? = nil,
    remainder: Remainder = .pad, features: AudioFeatures? = nil
  ) {
    self.shape = shape
    self.elementType = elementType
    self.sampleRate = sampleRate
    self.hop = hop
    self.remainder = remainder
    self.features = features
  }
}
