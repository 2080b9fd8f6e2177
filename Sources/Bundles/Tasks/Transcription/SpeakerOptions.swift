#if Everything
  /// How the segments of a transcript are assigned to speakers.
  public struct SpeakerOptions: Sendable, Hashable {
    /// The mean cosine similarity from which two groups of segments have the same voice.
    public var minSimilarity = 0.65

    /// Creates options with the default values.
    public init() {}
  }
#endif
