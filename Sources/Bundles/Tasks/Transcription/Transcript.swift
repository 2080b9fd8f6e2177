#if Everything
  /// What was said in a recording.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "whisper.tiobundle")
  /// let transcript = try model.transcribe(AudioBuffer(contentsOf: "talk.wav")).result()
  /// print(transcript.text)
  /// for segment in transcript.segments { print(segment.start, segment.end, segment.text) }
  /// ```
  public struct Transcript: Sendable, Hashable {
    /// The text of all segments.
    public var text: String
    /// The code of the language, such as `en`.
    public var language: String
    /// The length of the recording in seconds.
    public var duration: Double
    /// The sections of the recording that have text, in order.
    public var segments: [Segment]

    /// Creates a transcript.
    public init(text: String, language: String, duration: Double, segments: [Segment]) {
      (self.text, self.language) = (text, language)
      (self.duration, self.segments) = (duration, segments)
    }
  }
#endif
