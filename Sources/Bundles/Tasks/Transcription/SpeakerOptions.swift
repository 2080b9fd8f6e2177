#if Everything
  public import TensorIOAudio

  /// How the segments of a transcript are assigned to speakers.
  public struct SpeakerOptions: Sendable, Hashable {
    /// The mean cosine similarity, from -1 to 1, from which two groups of segments have the same voice.
    public var minSimilarity = 0.65
    /// The vectors of known voices, whose names the speakers get; `nil` numbers all speakers, unless the model of voices was
    /// opened with a gallery.
    public var gallery: InMemoryGallery?
    /// Recordings of known voices, of a few seconds and one speaker each, by the names of the speakers, which join the gallery.
    public var recordings: [String: AudioBuffer] = [:]

    /// Creates options with the default values.
    public init() {}
  }
#endif
