#if Everything
  public import TensorIOBundle
  public import TensorIOCore
  public import TensorIOGeneration
  import TensorIOJSON

  extension Model {
    /// Returns the text that a language model writes after a prompt, or in answer to it.
    ///
    /// A bundle with a `template` answers; ``GenerationOptions/isRaw`` continues the prompt instead.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "smollm2.tiobundle")
    /// for try await piece in try model.generate("What is the capital of France?") {
    ///   print(piece.text, terminator: "")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - prompt: The prompt.
    ///   - options: How the text is written.
    /// - Returns: The text, which is written while it is read.
    /// - Throws: A ``ModelError`` if the model writes no text, or the prompt does not fit in its context.
    public func generate(
      _ prompt: String, options: GenerationOptions = GenerationOptions()
    ) throws(ModelError) -> TextGeneration {
      try textGenerator.generate(.text(prompt), options)
    }

    /// Returns a language model's answer to messages.
    ///
    /// - Parameters:
    ///   - messages: The messages so far, of which the last one is answered.
    ///   - options: How the text is written.
    /// - Returns: The text, which is written while it is read.
    /// - Throws: A ``ModelError`` if the model has no template, or the messages do not fit in its context.
    public func generate(
      _ messages: [ChatMessage], options: GenerationOptions = GenerationOptions()
    ) throws(ModelError) -> TextGeneration {
      try textGenerator.generate(.messages(messages), options)
    }

    /// Begins a conversation with a language model.
    ///
    /// - Parameters:
    ///   - system: The instructions for all answers; `nil` for none.
    ///   - options: How answers are written.
    /// - Returns: The conversation, whose tokens stay in the model's caches.
    /// - Throws: A ``ModelError`` if the model writes no text.
    public func conversation(
      system: String? = nil, options: GenerationOptions = GenerationOptions()
    ) throws(ModelError) -> Conversation {
      try Conversation(textGenerator, system: system, options)
    }

    /// Returns the logarithms of the probabilities that a language model gives to a text.
    ///
    /// Use it to compare texts, such as the choices of a question, or to measure how well a model predicts your texts.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "smollm2.tiobundle")
    /// for city in [" Paris", " Rome"] {
    ///   print(city, try model.logProbabilities(of: city, after: "The capital of France is").total)
    /// }
    /// ```
    ///
    /// The model's template is not used. A text that does not fit in the context is divided into windows that overlap by half.
    ///
    /// - Parameters:
    ///   - text: The text; one that begins with a word after a prompt usually begins with a space.
    ///   - prompt: The text before it.
    /// - Returns: The logarithms.
    /// - Throws: A ``ModelError`` if the model writes no text, or the text has no token that follows another one.
    public func logProbabilities(
      of text: String, after prompt: String = ""
    ) throws(ModelError) -> TextLogProbabilities {
      try logProbabilities(of: [text], after: prompt)[0]
    }

    /// Returns the logarithms of the probabilities of texts that each follow a prompt, which the model reads once.
    package func logProbabilities(
      of texts: [String], after prompt: String
    ) throws(ModelError) -> [TextLogProbabilities] {
      try textGenerator.logProbabilities(
        of: texts, after: prompt, maxCacheBytes: GenerationOptions().maxCacheBytes)
    }

    /// Creates sequences that texts of several callers use in turn; `nil` for a model that writes no text.
    package func makeSequencePool() -> SequencePool? {
      (try? textGenerator).map { SequencePool($0, capacity: sessionCount) }
    }

    /// The maximum number of tokens of a text that the bundle states; `nil` if it states none.
    package var statedMaxTokens: Int? {
      info.task?.settings[GenerationTask.maxTokens.key]?.int
    }

    private var textGenerator: TextGenerator {
      get throws(ModelError) {
        guard let runner = runner as? GenerationRunner else {
          throw ModelError(
            .run,
            .unsupported("writing text with a bundle that does not have the task 'generation'"),
            file: bundle.path)
        }
        return runner.generator
      }
    }
  }
#endif
