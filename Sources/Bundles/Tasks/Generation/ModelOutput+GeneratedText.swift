#if Everything
  import TensorIOBundle
  public import TensorIOCore
  public import TensorIOGeneration

  extension ModelOutput {
    /// The text that a language model has written.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "smollm2.tiobundle")
    /// let text = try model.run("What is the capital of France?").generatedText
    /// print(text.text, text.tokens.count)
    /// ```
    ///
    /// - Throws: A ``ModelError`` if the model writes no text.
    public var generatedText: GeneratedText {
      get throws(ModelError) { try result(of: GenerationTask.self) }
    }
  }
#endif
