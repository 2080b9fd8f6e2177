#if Everything
  public import TensorIOBundle
  public import TensorIOCore

  /// A text that is spoken, sentence by sentence, while its sound is read.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "voice.tiobundle")
  /// for try await sentence in try model.speak("One sentence. And another one.") {
  ///   print(sentence.text, sentence.samples.count)
  /// }
  /// ```
  public typealias SpeechSynthesis = ResultSequence<Speech.Sentence, Speech>

  extension Model {
    /// Returns the sound of a text.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "voice.tiobundle")
    /// let speech = try model.speak("Open the window.") { $0.speed = 1.2 }.result()
    /// try speech.audio.write(to: "window.wav")
    /// ```
    ///
    /// - Parameters:
    ///   - text: The text, of any number of sentences.
    ///   - adjust: Changes the options of the bundle.
    /// - Returns: The sound, which is made sentence by sentence while it is read.
    /// - Throws: A ``ModelError`` if the model does not speak, the text has no words, or an option does not fit the bundle.
    public func speak(
      _ text: String, _ adjust: (inout SpeechOptions) -> Void = { _ in }
    ) throws(ModelError) -> SpeechSynthesis {
      guard let runner = runner as? SpeechRunner else {
        throw ModelError(
          .run,
          .unsupported(
            "speaking with a bundle that does not have the task '\(SpeechTask.format.names[0])'"),
          file: bundle.path)
      }
      var options = runner.speaker.options
      adjust(&options)
      return SpeechSynthesis(try SpeechLoop(runner.speaker, text, options))
    }

    /// The names of the voices of a model that speaks, which may be none; `nil` for other models.
    public var voices: [String]? { (runner as? SpeechRunner)?.speaker.voices.names }
  }

  extension ModelBundle {
    /// The names of the voices of a bundle that speaks, which may be none; `nil` for other bundles.
    package var voices: [String]? {
      guard let task = description.task, SpeechTask.format.names.contains(task.type) else {
        return nil
      }
      return VoiceTable.names(in: task)
    }
  }
#endif
