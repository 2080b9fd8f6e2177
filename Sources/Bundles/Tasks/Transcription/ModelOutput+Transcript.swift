#if Everything
  import TensorIOBundle
  public import TensorIOCore

  extension ModelOutput {
    /// What a speech model has heard.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "whisper.tiobundle")
    /// let transcript = try model.run(AudioBuffer(contentsOf: "talk.wav")).transcript
    /// print(transcript.text)
    /// ```
    ///
    /// - Throws: A ``ModelError`` if the model does not transcribe.
    public var transcript: Transcript {
      get throws(ModelError) { try result(of: TranscriptionTask.self) }
    }
  }
#endif
