#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  import TensorIOJSON

  /// Speech synthesis: texts as sound.
  package struct SpeechTask: RepeatingTask {
    package static let format = TaskFormat(
      "speech",
      requiredOutputs: [
        .init("an output of the type \"audio\"") { outputs in outputs.contains(where: \.isAudio) }
      ],
      repeatsRuns: true, passing: passedInputs,
      interface: TaskInterface("speech", .init("speech", type: "Speech", "The text as sound."))
    ) {
      alphabet
      lexicon
      voices
      speakers
      Field(
        voiceInput, .nonemptyString, otherwise: "none: the model has one voice",
        "The input that takes the number of a speaker, or a row of the numbers of a voice."
      ).example("\"style\"")
      Field(
        speedInput, .nonemptyString, otherwise: "none", "The input that takes the speed."
      ).example("\"speed\"")
      Field(
        scalesInput, .nonemptyString, otherwise: "none",
        """
        The input with three numbers that models of the family VITS take: the variation of the sound, the length, and the \
        variation of the lengths.
        """
      ).example("\"scales\"")
      options
    }

    /// The settings that a call can replace.
    @FieldBuilder<TaskSettings> static var options: [Field<TaskSettings>] {
      Field(
        voice, .nonemptyString, otherwise: "the first voice, or the speaker with the lowest number",
        "The name of the voice."
      ).example("\"alice\"")
      speed
      Field(
        noise, .preciseNumber(in: .nonnegative), otherwise: "the value of the input `scales_input`",
        "The variation of the sound and of the lengths, for models with `scales_input`; 0 always makes the same sound."
      ).example("0")
      language
      pause
    }

    /// The letters of phonemes.
    enum Alphabet: String, Sendable, CaseIterable {
      /// Those of the program `espeak-ng`.
      case espeak
      /// Those of Kokoro, with one letter for each diphthong.
      case kokoro
      /// None: the symbols of the voice are letters of texts.
      case text
    }

    static let voice = "voice"
    static let noise = "noise"
    static let voiceInput = "voice_input"
    static let speedInput = "speed_input"
    static let scalesInput = "scales_input"

    static let alphabet = TaskSetting.choice(
      "alphabet", default: Alphabet.espeak,
      """
      The letters of the voice's phonemes: those of the program `espeak-ng`, those of Kokoro, or those of texts, which then have no \
      phonemes.
      """
    ).example("\"kokoro\"")
    static let lexicon = TaskSetting.texts(
      "lexicon",
      """
      The files in `assets` with the phonemes of English words, in the letters of Kokoro: JSON objects, the first of which that \
      has a word counts. Without one, the program `espeak-ng` makes the phonemes.
      """
    ).example("[\"us_gold.json\", \"us_silver.json\"]")
    static let voices = TaskSetting<[String: String]>(
      "voices", .dictionary(of: .fileName), default: [:],
      """
      The files in `assets` with the numbers of the voices, by name: 32-bit floats, lowest byte first, with a row for each number \
      of phonemes from 1.
      """, convert: { $0.dictionary(\.string) }
    ).example("{\"alice\": \"alice.f32\"}")
    static let speakers = TaskSetting<[String: Int]>(
      "speakers", .dictionary(of: .natural), default: [:],
      "The numbers of the speakers, by name.", convert: { $0.dictionary(\.int) }
    ).example("{\"alice\": 0, \"bob\": 1}")
    static let speed = TaskSetting.number(
      "speed", in: .positive, default: 1, "The speed, from 0.25 to 4."
    ).example("1.2")
    static let language = TaskSetting.text(
      "language", default: "en-us",
      "The language of texts, as a voice of the program `espeak-ng`; a lexicon is English.")
    static let pause = TaskSetting.number(
      "pause", in: .nonnegative, default: 0.2, "The time between two sentences, in seconds.")

    @Sendable private static func passedInputs(_ task: TaskDescription) -> Set<String> {
      Set([voiceInput, speedInput, scalesInput].compactMap { task.settings[$0]?.string })
    }

    package init(_ model: ModelInfo) throws(ModelError) {}

    package func result(of output: ModelOutput) throws(ModelError) -> Speech {
      guard let speech = output.passedResult as? Speech else {
        throw ModelError(.output, .failed("the output is not that of a text"))
      }
      return speech
    }

    /// The sound of phonemes that were passed as ids has no text.
    package func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
      output.passedResult is Speech ? .result(try result(of: output), replacing: []) : .outputs
    }

    package static func makeRunner(
      repeating run: @escaping ModelRun, _ info: ModelInfo
    ) throws(ModelError) -> any ModelRunner {
      SpeechRunner(speaker: try Speaker(info, run))
    }
  }

  extension SpeechOptions {
    /// Creates the options that a bundle, or a call, states.
    init(_ task: TaskDescription?) {
      typealias Task = SpeechTask
      voice = task?.settings[Task.voice]?.string
      speed = Task.speed.double(in: task)
      noise = task?.settings[Task.noise]?.double
      language = Task.language.value(in: task)
      pause = Task.pause.double(in: task)
    }
  }

  extension JSONValue {
    /// Returns the members of an object whose values can be converted.
    fileprivate func dictionary<Value>(_ convert: (JSONValue) -> Value?) -> [String: Value] {
      Dictionary(
        (members ?? []).compactMap { member in convert(member.value).map { (member.key, $0) } }
      ) { first, _ in first }
    }
  }
#endif
