#if Everything
  public import TensorIOAudio
  public import TensorIOBundle
  public import TensorIOCore

  extension Model {
    /// Returns the text that a speech model hears in a recording.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "whisper.tiobundle")
    /// let sound = try AudioBuffer(contentsOf: "interview.wav")
    /// let transcript = try model.transcribe(sound) { $0.hasWords = true }.result()
    /// print(transcript.formatted(as: .srt))
    /// ```
    ///
    /// - Parameters:
    ///   - sound: The recording, of any rate, number of channels and length.
    ///   - adjust: Changes the options of the bundle.
    /// - Returns: The transcript, which is written while it is read.
    /// - Throws: A ``ModelError`` if the model does not transcribe, or lacks what an option requires.
    public func transcribe(
      _ sound: AudioBuffer, _ adjust: (inout TranscriptionOptions) -> Void = { _ in }
    ) throws(ModelError) -> Transcription {
      try transcribe(.value(.audio(sound)), adjust)
    }

    /// Returns a transcript of sound that goes on.
    ///
    /// - Parameter adjust: Changes the options of the bundle.
    /// - Returns: The transcript, to which sound is added.
    /// - Throws: A ``ModelError`` if the model does not transcribe, or lacks what an option requires.
    public func liveTranscription(
      _ adjust: (inout TranscriptionOptions) -> Void = { _ in }
    ) throws(ModelError) -> LiveTranscription {
      let transcriber = try requireTranscriber()
      var options = transcriber.options
      adjust(&options)
      return try LiveTranscription(transcriber, options)
    }

    /// Returns the text that a speech model hears in sound of any form.
    package func transcribe(
      _ input: ModelInput, _ adjust: (inout TranscriptionOptions) -> Void = { _ in }
    ) throws(ModelError) -> Transcription {
      var options = try requireTranscriber().options
      adjust(&options)
      return try requireRunner().transcription(of: input, options)
    }

    private func requireTranscriber() throws(ModelError) -> Transcriber {
      try requireRunner().transcriber
    }

    private func requireRunner() throws(ModelError) -> TranscriptionRunner {
      guard let runner = transcriptionRunner else {
        throw ModelError(
          .run,
          .unsupported(
            "transcribing with a bundle that does not have the task '\(TranscriptionTask.format.names[0])'"
          ), file: bundle.path)
      }
      return runner
    }

    /// The rate of the sound that a caller passes; `nil` for a model that takes none.
    package var soundRate: Int? {
      bundle.description.callerInputs.lazy.compactMap { layer in
        if case .audio(let audio) = layer.kind { audio.sampleRate } else { nil }
      }.first
    }

    /// The function of the bundle that makes vectors of the voices of speakers; `nil` if there is none.
    package var speakerModel: Model? { transcriptionRunner?.transcriber.voices }

    /// Whether the segments of transcripts have speakers.
    package var namesSpeakers: Bool { speakerModel != nil }

    /// Whether the model transcribes recordings.
    package var transcribes: Bool { transcriptionRunner != nil }

    private var transcriptionRunner: TranscriptionRunner? { runner as? TranscriptionRunner }
  }
#endif
