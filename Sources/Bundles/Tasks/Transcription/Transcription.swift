#if Everything
  /// A transcript that is written while it is read.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "whisper.tiobundle")
  /// for try await segment in try model.transcribe(AudioBuffer(contentsOf: "talk.wav")) {
  ///   print(segment.start, segment.text)
  /// }
  /// ```
  ///
  /// The model listens to the next window, usually of 30 seconds, when the segments of the one before were read.
  public typealias Transcription = ResultSequence<Transcript.Segment, Transcript>
#endif
