#if Everything
  import TensorIOAudio
  package import TensorIOBundle
  package import TensorIOCore

  /// Speaks the text of each run.
  package struct SpeechRunner: ModelRunner {
    let speaker: Speaker

    /// Returns the sound as the output, and the sentences as the result; numbers are the ids of one sentence's phonemes.
    package func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      var values: [String: LayerValue]
      switch input {
      case .value(let value): values = [speaker.textInput: value]
      case .named(let named): values = named
      }
      guard let value = values.removeValue(forKey: speaker.textInput) else {
        throw ModelError(
          .input,
          .inputNames(
            missing: [speaker.textInput], unexpected: [], declared: [speaker.textInput]))
      }
      guard case .strings(let strings) = value else {
        return try speaker.run(value, voice: speaker.options.voice, values)
      }
      guard strings.count == 1, let text = String(validating: strings.bytes[0], as: UTF8.self)
      else {
        throw ModelError(.input, .wrongType(expected: "a text", actual: value.kindDescription))
      }
      let loop = try SpeechLoop(speaker, text, speaker.options, values)
      let speech = try SpeechSynthesis(loop).result()
      do throws(AudioError) {
        return ModelOutput(
          layers: [.init(name: speaker.soundOutput, value: .audio(try speech.audio))]
        ).passing(speech)
      } catch {
        throw ModelError(.output, .audio(error), layer: speaker.soundOutput)
      }
    }

    /// Speaks two phonemes, for which no other program is needed.
    package func tryRun() throws(ModelError) {
      var options = speaker.options
      options.isPhonemes = true
      _ = try SpeechSynthesis(SpeechLoop(speaker, "ma", options)).result()
    }
  }
#endif
