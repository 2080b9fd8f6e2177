#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  import TensorIOGeneration
  import TensorIOJSON
  import TensorIOSystem

  /// Transcription: what was said in a recording.
  package struct TranscriptionTask: GeneratingTask {
    package static let format = TaskFormat(
      "transcription", requiredOutputs: [.role(.nextTokenScores)],
      returning: [
        Layer(
          name: Transcript.outputName,
          kind: .array(NumericLayer(shape: [1], elementType: .string)))
      ],
      interface: TaskInterface(
        "transcript", .init("transcript", type: "Transcript", "What was said in the recording."))
    ) {
      Field(start, token, otherwise: "required", "The token at which a transcript begins.")
        .example("50258")
      Field(end, token, otherwise: "required", "The token that ends a transcript.")
        .example("50257")
      Field(
        withoutTimes, token, otherwise: "required",
        """
        The token of a transcript without times. The tokens of times follow it, in steps of 0.02 seconds; that of silence and \
        that of earlier text precede it.
        """
      ).example("50363")
      Field(
        transcribe, token, otherwise: "none: the model has one language",
        "The token for a transcript in the language of the recording."
      ).example("50359")
      Field(
        translate, token, otherwise: "none: the model does not translate",
        "The token for a translation to English."
      ).example("50358")
      languages
      suppressed
      suppressedAtFirst
      maxInitialTime
      context
      maxTokens
      attentions
      heads
      Field(
        speakers, .nonemptyString, otherwise: "none: segments have no speakers",
        """
        The [function](#functions) that makes a vector of a voice from sound, with the task `embedding`; each segment then has a \
        speaker.
        """
      ).example("\"voices\"")
      options
    }

    /// The settings that a call can replace.
    @FieldBuilder<TaskSettings> static var options: [Field<TaskSettings>] {
      Field(
        language, .nonemptyString, otherwise: "the language is detected",
        "The code of the language of recordings."
      ).example("\"en\"")
      translates
      prompt
      words
      temperatures
      beams
      maxCompressionRatio
      minLogProbability
      silenceThreshold
      followsText
      labelsSpeakers
      speakerSimilarity
    }

    static let start = "start_token"
    static let end = "end_token"
    static let withoutTimes = "no_timestamps_token"
    static let transcribe = "transcribe_token"
    static let translate = "translate_token"
    static let language = "language"
    static let speakers = "speakers"
    private static let token = ValueFormat<Int>.integer(0...1 << 24)

    static let languages = TaskSetting<[String: Int32]>(
      "languages", .dictionary(of: token.asInt32), default: [:],
      "The tokens of the languages by their codes; none for a model of one language.",
      convert: { value in
        Dictionary(
          (value.members ?? []).compactMap { member in
            member.value.int.flatMap { Int32(exactly: $0) }.map { (member.key, $0) }
          }
        ) { first, _ in first }
      }
    ).example("{\"en\": 50259, \"de\": 50261}")
    static let suppressed = tokenList(
      "suppressed_tokens", "The tokens that a transcript never has, such as notes of music.")
    static let suppressedAtFirst = tokenList(
      "first_suppressed_tokens", "The tokens that a window does not begin with.")
    static let maxInitialTime = TaskSetting.number(
      "max_initial_time", in: .nonnegative, default: 1,
      "The latest time at which the first text of a window begins, in seconds.")
    static let context = TaskSetting.count(
      "context", default: 448, "The maximum number of tokens in the caches.")
    static let maxTokens = TaskSetting.count(
      "max_tokens", default: 224, "The maximum number of tokens of a window.")
    static let attentions = TaskSetting.text(
      "attentions", default: "",
      "The outputs with the attention to the sound, in which `*` is the number of the layer; words have no times without them."
    ).example("\"cross_attentions.*\"")
    static let heads = TaskSetting<[[Int]]>(
      "alignment_heads",
      .list(of: .list(of: ValueFormat<Int>.natural, "integers").onOneLine, "pairs of integers"),
      default: [],
      "The heads whose attention follows the sound, as layers and heads.",
      convert: { $0.elements?.map { $0.elements?.compactMap(\.int) ?? [] } }
    ).example("[[2, 2], [3, 0]]")

    static let translates = TaskSetting.flag(
      "translate", "Whether texts are translated to English.")
    static let prompt = TaskSetting.text(
      "prompt", default: "",
      "A text before that of a recording, whose spelling of names and style the transcript follows."
    )
    static let words = TaskSetting.flag("words", "Whether words have times.")
    static let temperatures = TaskSetting<[Double]>(
      "temperatures", .list(of: .preciseNumber(in: .nonnegative), "numbers").onOneLine,
      default: TranscriptionOptions().temperatures,
      "The temperatures that are tried in turn, until the text of a window is neither improbable nor repetitive.",
      convert: { $0.elements?.compactMap(\.double) })
    static let beams = TaskSetting.integer(
      "beams", in: 1...SamplingOptions.maxBeams, default: 1,
      "The number of texts that are followed at the temperature 0 to find the most probable one.")
    static let maxCompressionRatio = TaskSetting.number(
      "compression_threshold", in: .positive, default: 2.4,
      "The length of a text divided by its compressed length, above which it is repetitive.")
    static let minLogProbability = TaskSetting.number(
      "logprob_threshold", default: -1,
      "The mean logarithm of probabilities below which a text is improbable.")
    static let silenceThreshold = TaskSetting.number(
      "silence_threshold", in: .fraction, default: 0.6,
      "The probability of silence above which an improbable text is left out.")
    static let followsText = TaskSetting.flag(
      "follow_text", default: true,
      "Whether the text of a window follows that of the windows before it.")

    static let labelsSpeakers = TaskSetting.flag(
      "label_speakers", default: true,
      "Whether segments have speakers, if the bundle has a function `speakers`.")
    static let speakerSimilarity = TaskSetting.number(
      "speaker_similarity", in: .unlimited, default: Float(SpeakerOptions().minSimilarity),
      "The mean cosine similarity from -1 to 1, from which two groups of segments have one speaker."
    )

    private static func tokenList(_ key: String, _ summary: String) -> TaskSetting<[Int32]> {
      TaskSetting(
        key, .list(of: token.asInt32, "integers").onOneLine, default: [], summary,
        convert: { $0.elements?.compactMap { $0.int.flatMap { Int32(exactly: $0) } } })
    }

    package init(_ model: ModelInfo) throws(ModelError) {}

    package static func forms(for description: ModelDescription) -> [ResultForm] {
      [.transcript]
    }

    package func reading(as form: ResultForm) -> ResultReading? {
      .transcript { (output) throws(ModelError) in
        let transcript = try result(of: output)
        return (transcript.text.trimmed, transcript.language)
      }
    }

    package func result(of output: ModelOutput) throws(ModelError) -> Transcript {
      guard let transcript = output.passedResult as? Transcript else {
        throw ModelError(.output, .failed("the output has no transcript"))
      }
      return transcript
    }

    package var replacedOutputs: Set<String> { [Transcript.outputName] }

    package var resultColumn: ResultColumn.Member? {
      .init(Transcript.outputName, Transcript.column(of: []))
    }

    package static func makeRunner(
      for model: any SteppableRuntimeModel, _ info: ModelInfo, _ functions: [String: Model]
    ) throws(ModelError) -> any ModelRunner {
      guard let encoder = try PromptEncoder(info.description, functions),
        case .audio(let layer)? = encoder.function.inputs.first?.kind
      else {
        throw ModelError(
          .bundle,
          .unmetRequirement("the task requires caches of a function whose input is 'audio'"),
          file: info.bundle.path)
      }
      let tokens = try SpeechTokens(info)
      let text = SpeechText(try info.bundle.tokenizer(of: info.description), end: tokens.end)
      let attentions = info[attentions]
      let heads = info[heads].compactMap { pair in
        pair.count == 2 ? WordAligner.Head(layer: pair[0], head: pair[1]) : nil
      }
      let aligner =
        attentions.isEmpty || heads.isEmpty ? nil : WordAligner(heads: heads, outputs: attentions)
      return TranscriptionRunner(
        transcriber: Transcriber(
          model, encoder, layer, tokens, text, context: info[context], maxTokens: info[maxTokens],
          aligner: aligner, voices: try voices(of: info, functions),
          TranscriptionOptions(info.task)))
    }

    /// Returns the function that makes vectors of voices; `nil` if the task names none.
    private static func voices(
      of info: ModelInfo, _ functions: [String: Model]
    ) throws(ModelError) -> Model? {
      guard let name = info.task?.settings[speakers]?.string else { return nil }
      guard let voices = functions[name] else {
        throw ModelError(
          .bundle,
          .unmetRequirement(
            "the bundle has no function '\(name)', which the task names as 'speakers'"),
          file: info.bundle.path)
      }
      _ = try SpeakerLabeler(voices, SpeakerOptions())
      return voices
    }
  }

  extension SpeechTokens {
    fileprivate init(_ info: ModelInfo) throws(ModelError) {
      func token(_ key: String) -> Int32? {
        info.task?.settings[key]?.int.flatMap { Int32(exactly: $0) }
      }
      guard let start = token(TranscriptionTask.start), let end = token(TranscriptionTask.end),
        let withoutTimes = token(TranscriptionTask.withoutTimes)
      else {
        throw ModelError(
          .bundle,
          .unmetRequirement(
            "the task requires '\(TranscriptionTask.start)', '\(TranscriptionTask.end)' and '\(TranscriptionTask.withoutTimes)'"
          ), file: info.bundle.path)
      }
      self.init(start: start, end: end, withoutTimes: withoutTimes)
      languages = info[TranscriptionTask.languages]
      transcribe = token(TranscriptionTask.transcribe)
      translate = token(TranscriptionTask.translate)
      suppressed = info[TranscriptionTask.suppressed]
      suppressedAtFirst = info[TranscriptionTask.suppressedAtFirst]
      let time = Double(info[TranscriptionTask.maxInitialTime])
      maxInitialTime = Int32((time / Self.secondsPerTime).rounded().clamped(to: 0...1500))
    }
  }

  extension TranscriptionOptions {
    /// Creates the options that a bundle, or a call, states.
    init(_ task: TaskDescription?) {
      typealias Task = TranscriptionTask
      language = task?.settings[Task.language]?.string
      translates = Task.translates.value(in: task)
      prompt = Task.prompt.value(in: task)
      hasWords = Task.words.value(in: task)
      temperatures = Task.temperatures.value(in: task)
      beams = Task.beams.value(in: task)
      maxCompressionRatio = Task.maxCompressionRatio.double(in: task)
      minLogProbability = Task.minLogProbability.double(in: task)
      silenceThreshold = Task.silenceThreshold.double(in: task)
      followsText = Task.followsText.value(in: task)
      let isLabeled =
        task?.settings[Task.labelsSpeakers.key]?.bool ?? (task?.settings[Task.speakers] != nil)
      guard isLabeled else { return }
      var speakers = SpeakerOptions()
      speakers.minSimilarity = Task.speakerSimilarity.double(in: task)
      self.speakers = speakers
    }
  }

  extension ValueFormat<Int> {
    /// The integers in 32 bits.
    fileprivate var asInt32: ValueFormat<Int32> {
      converted({ value, _, _ in Int32(clamping: value) }, back: { Int($0) })
    }
  }

  extension Comparable {
    fileprivate func clamped(to range: ClosedRange<Self>) -> Self {
      min(max(self, range.lowerBound), range.upperBound)
    }
  }
#endif
