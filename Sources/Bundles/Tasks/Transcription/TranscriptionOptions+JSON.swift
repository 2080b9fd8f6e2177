#if Everything
  package import TensorIOBundle
  package import TensorIOCore

  extension TranscriptionOptions {
    /// Creates the options of a call that is not written in Swift: those of the bundle, with those of a JSON object in their
    /// place.
    ///
    /// - Throws: A ``ModelError`` that names the first option that is unknown or has an invalid value.
    package init(for model: Model, parsing json: String?) throws(ModelError) {
      let task = try TaskDescription(for: model, parsing: json, Self.format)
      self.init(task)
      seed = UInt64(max(0, Self.seed.value(in: task)))
    }

    private static let seed = TaskSetting.integer(
      "seed", in: 0...Int.max, default: 0, "The seed of the random numbers above temperature 0.")

    private static let format = ObjectFormat.options(
      schema: "transcriptionOptions", TranscriptionTask.options + [seed.field])
  }
#endif
