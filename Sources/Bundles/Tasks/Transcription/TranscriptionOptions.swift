#if Everything
  /// How a recording is transcribed.
  public struct TranscriptionOptions: Sendable, Hashable {
    /// The code of the language, such as `en`; `nil` detects it in the first window.
    public var language: String?
    /// Whether the text is translated to English.
    public var translates = false
    /// A text before that of the recording, whose spelling of names and style the transcript follows.
    public var prompt = ""
    /// Whether words have times.
    public var hasWords = false
    /// The temperatures that are tried in turn, until the text is neither improbable nor repetitive.
    public var temperatures = [0, 0.2, 0.4, 0.6, 0.8, 1]
    /// The number of texts that are followed at the temperature 0 to find the most probable one.
    ///
    /// Each text takes separate steps; 1 takes the most probable token of each step.
    public var beams = 1
    /// The compression ratio above which a text is repetitive; `nil` accepts all.
    public var maxCompressionRatio: Double? = 2.4
    /// The mean logarithm of probabilities below which a text is improbable; `nil` accepts all.
    public var minLogProbability: Double? = -1
    /// The probability of silence above which an improbable text is left out; `nil` keeps all.
    public var silenceThreshold: Double? = 0.6
    /// Whether the text of a window follows that of the windows before it; a repetition can then go on indefinitely.
    public var followsText = true
    /// The sections of the recording that are transcribed, each on its own, such as those with speech; `nil` for all of it.
    public var sections: [Activity.Segment]?
    /// How segments are assigned to speakers, by the bundle's model of voices; `nil` assigns none.
    ///
    /// The default is that of the bundle: ``SpeakerOptions`` if it has a model of voices.
    public var speakers: SpeakerOptions?
    /// The seed of the random numbers above temperature 0.
    public var seed: UInt64 = 0

    /// Creates options with the defaults of bundles.
    public init() {}
  }
#endif
