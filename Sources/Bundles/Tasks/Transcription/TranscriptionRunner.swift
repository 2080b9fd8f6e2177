#if Everything
  package import TensorIOBundle
  package import TensorIOCore

  /// Transcribes the recording of each run.
  package struct TranscriptionRunner: ModelRunner {
    let transcriber: Transcriber

    /// Returns the text as the only output, and the transcript as the result.
    package func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      let transcript = try transcription(of: input, transcriber.options).result()
      return ModelOutput(
        layers: [.init(name: transcript.key, value: .strings(Strings([transcript.text])))]
      ).passing(transcript)
    }

    /// Transcribes a second of silence, and finds the times of words if the model can.
    package func tryRun() throws(ModelError) {
      var options = transcriber.options
      options.temperatures = [0]
      let samples = [Float](repeating: 0, count: transcriber.layer.sampleRate)
      _ = try Transcription(TranscriptionLoop(transcriber, samples, options)).result()
    }

    /// Prepares the transcription of the sound in an input.
    func transcription(
      of input: ModelInput, _ options: TranscriptionOptions
    ) throws(ModelError) -> Transcription {
      let value: LayerValue? =
        switch input {
        case .value(let value): value
        case .named(let values): values.count == 1 ? values.values.first : nil
        }
      let samples = try value?.speech(atRate: transcriber.layer.sampleRate)
      guard let samples else {
        throw ModelError(
          .input, .wrongType(expected: "sound", actual: value?.kindDescription ?? "several values"))
      }
      guard samples.allSatisfy(\.isFinite) else {
        throw ModelError(.input, .failed("the sound has samples that are no numbers"))
      }
      let loop = try TranscriptionLoop(transcriber, samples, options)
      guard let labeler = try transcriber.makeLabeler(options) else { return Transcription(loop) }
      return Transcription(
        SpeakerLoop(loop, samples, atRate: transcriber.layer.sampleRate, labeler))
    }
  }
#endif
