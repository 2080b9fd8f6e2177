#if Everything
  /// How a text is spoken.
  public struct SpeechOptions: Sendable, Hashable {
    /// The name of the voice; `nil` for that of the bundle.
    public var voice: String?
    /// The speed, from 0.25 to 4; 1 is that of the voice.
    public var speed = 1.0
    /// How much the sound varies from call to call, for voices that have it; 0 always makes the same sound, and `nil` is what the
    /// bundle states.
    public var noise: Double?
    /// The language, as a voice of the program `espeak-ng` such as `en-us`; `nil` for that of the bundle.
    public var language: String?
    /// The time between two sentences, in seconds.
    public var pause = 0.2
    /// Whether the text consists of phonemes, in the alphabet of the voice.
    public var isPhonemes = false

    /// Creates options with the defaults of bundles.
    public init() {}
  }
#endif
