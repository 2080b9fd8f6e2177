#if Everything
  import TensorIOBundle
  public import TensorIOCore

  extension ModelOutput {
    /// What a model has spoken.
    ///
    /// - Throws: A ``ModelError`` if the model does not speak.
    public var speech: Speech {
      get throws(ModelError) { try result(of: SpeechTask.self) }
    }
  }
#endif
