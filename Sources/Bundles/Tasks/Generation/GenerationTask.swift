#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  package import TensorIOGeneration
  import TensorIOJSON
  import TensorIOText

  /// Text generation: the text that continues a prompt, or answers it.
  package struct GenerationTask: GeneratingTask {
    package static let format = TaskFormat(
      "generation", requiredOutputs: [.role(.nextTokenScores)],
      returning: [
        Layer(
          name: GeneratedText.outputName,
          kind: .array(NumericLayer(shape: [1], elementType: .string)))
      ],
      interface: TaskInterface(
        "generatedText",
        .init("generatedText", type: "GeneratedText", "The text that the model has written."))
    ) {
      template
      Field(
        endKey, .strings, otherwise: "the text ends at the limit", "The tokens that end a text."
      )
      .example("[\"<|im_end|>\"]")
      start
      Field(
        prefixKey, .strings, otherwise: "required for models with an encoder",
        "The tokens that a decoder begins each text with, which are not part of the text."
      )
      .example("[\"<s>\"]")
      Field(
        contextKey, .count, otherwise: "no limit but that of the caches",
        "The maximum number of tokens of a prompt and its text."
      )
      .example("8192")
      textSettings
    }

    /// The settings that a text can replace.
    @FieldBuilder<TaskSettings> static var textSettings: [Field<TaskSettings>] {
      maxTokens
      stop
      temperature
      topK
      topP
      minP
      repetitionPenalty
      noRepeatNGramSize
      beams
      lengthPenalty
      stopsEarly
    }

    static let endKey = "end"
    static let prefixKey = "prefix"
    static let contextKey = "context"
    static let template = TaskSetting.text(
      "template", default: "",
      "The file in `assets` with the template of messages, in Jinja; prompts are continued without one."
    ).example("\"chat_template.jinja\"")
    static let start = TaskSetting.text(
      "start", default: "", "The token that templates get as `bos_token`."
    ).example("\"<|im_start|>\"")
    static let maxTokens = TaskSetting.count(
      "max_tokens", default: TextGenerator.Settings().maxTokens,
      "The maximum number of tokens of a text."
    ).example("256")
    static let stop = TaskSetting.texts("stop", "Strings before which a text ends.")
      .example("[\"\\n\\n\"]")
    static let temperature = TaskSetting.number(
      "temperature", in: .nonnegative, default: 0,
      "The number that scores are divided by before a token is drawn; 0 takes the most probable token."
    ).example("0.7")
    static let topK = TaskSetting.integer(
      "top_k", in: 0...1 << 20, default: 0,
      "The number of most probable tokens of which one is drawn; 0 for all."
    ).example("50")
    static let topP = TaskSetting.number(
      "top_p", in: .fraction, default: 1,
      "The probability of the most probable tokens together, of which one is drawn."
    ).example("0.9")
    static let minP = TaskSetting.number(
      "min_p", in: .fraction, default: 0,
      "The least probability of a token, as a part of that of the most probable one."
    ).example("0.05")
    static let repetitionPenalty = TaskSetting.number(
      "repetition_penalty", in: .positive, default: 1,
      "The number that lowers the scores of tokens that the prompt or the text has."
    ).example("1.1")
    static let noRepeatNGramSize = TaskSetting.integer(
      "no_repeat_ngram_size", in: 0...1 << 20, default: 0,
      "The length of sequences of tokens that a text does not repeat; 0 allows all."
    ).example("3")
    static let beams = TaskSetting.integer(
      "beams", in: 1...SamplingOptions.maxBeams, default: 1,
      "The number of texts that are followed to find the most probable one; 1 follows the best token of each step."
    ).example("4")
    static let lengthPenalty = TaskSetting.number(
      "length_penalty", default: 1,
      "With `beams`, the power of the number of tokens by which the score of a text is divided; higher ones prefer longer texts."
    ).example("2")
    static let stopsEarly = TaskSetting.flag(
      "early_stopping",
      "Whether the search ends as soon as it has found as many texts as it follows."
    )

    package init(_ model: ModelInfo) throws(ModelError) {}

    package static func forms(for description: ModelDescription) -> [ResultForm] {
      [.continuations]
    }

    package func reading(as form: ResultForm) -> ResultReading? {
      .texts { (output) throws(ModelError) in [try result(of: output).text] }
    }

    package var resultColumn: ResultColumn.Member? {
      .init(GeneratedText.outputName, GeneratedText.column(of: []))
    }

    package func result(of output: ModelOutput) throws(ModelError) -> GeneratedText {
      guard let text = output.passedResult as? GeneratedText else {
        throw ModelError(.output, .failed("the output has no generated text"))
      }
      return text
    }

    /// Returns how the tokens of a text are chosen.
    static func sampling(of task: TaskDescription?) -> SamplingOptions {
      var sampling = SamplingOptions()
      sampling.temperature = temperature.double(in: task)
      (sampling.topK, sampling.topP) = (topK.value(in: task), topP.double(in: task))
      sampling.minP = minP.double(in: task)
      sampling.repetitionPenalty = repetitionPenalty.double(in: task)
      sampling.noRepeatNGramSize = noRepeatNGramSize.value(in: task)
      (sampling.beams, sampling.lengthPenalty) = (
        beams.value(in: task), lengthPenalty.double(in: task)
      )
      sampling.stopsEarly = stopsEarly.value(in: task)
      return sampling
    }

    package static func makeRunner(
      for model: any SteppableRuntimeModel, _ info: ModelInfo, _ functions: [String: Model]
    ) throws(ModelError) -> any ModelRunner {
      let bundle = info.bundle
      let tokenizer = try bundle.tokenizer(of: info.description)
      var settings = TextGenerator.Settings()
      func ids(_ key: String) throws(ModelError) -> [Int32] {
        var ids: [Int32] = []
        for name in info.task?.settings[key]?.elements?.compactMap(\.string) ?? [] {
          guard let id = tokenizer.id(of: name) else {
            throw ModelError(
              .bundle,
              .unmetRequirement("the vocabulary has no token '\(name)', which '\(key)' names"),
              file: bundle.path)
          }
          ids.append(id)
        }
        return ids
      }
      let end = try ids(endKey)
      settings.endTokens = Set(end)
      settings.endToken = end.first.flatMap(tokenizer.text(of:)) ?? ""
      settings.prefix = try ids(prefixKey)
      let encoder = try PromptEncoder(info.description, functions)
      if encoder != nil, settings.prefix.isEmpty {
        throw ModelError(
          .bundle, .unmetRequirement("a model with an encoder requires '\(prefixKey)' in its task"),
          file: bundle.path)
      }
      settings.startToken = info[start]
      settings.context = info.task?.settings[contextKey]?.int
      (settings.maxTokens, settings.stop) = (info[maxTokens], info[stop])
      settings.sampling = sampling(of: info.task)
      let file = info[template]
      return GenerationRunner(
        TextGenerator(
          model, tokenizer, template: file.isEmpty ? nil : try bundle.chatTemplate(file),
          encoder: encoder, settings))
    }
  }
#endif
