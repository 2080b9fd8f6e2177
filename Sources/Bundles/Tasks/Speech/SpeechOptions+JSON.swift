#if Everything
  package import TensorIOBundle
  package import TensorIOCore

  extension SpeechOptions {
    /// Creates the options of a call that is not written in Swift: those of the bundle, with those of a JSON object in their
    /// place.
    ///
    /// - Throws: A ``ModelError`` that names the first option that is unknown or has an invalid value.
    package init(for model: Model, parsing json: String?) throws(ModelError) {
      let task = try TaskDescription(for: model, parsing: json, Self.format)
      self.init(task)
      isPhonemes = Self.isPhonemes.value(in: task)
    }

    private static let isPhonemes = TaskSetting.flag(
      "phonemes", "Whether the text consists of phonemes.")

    private static let format = ObjectFormat.options(
      schema: "speechOptions", SpeechTask.options + [isPhonemes.field])
  }
#endif
