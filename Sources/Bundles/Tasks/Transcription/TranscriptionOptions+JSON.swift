#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  import TensorIOJSON

  extension TranscriptionOptions {
    /// Creates the options of a call that is not written in Swift: those of the bundle, with those of a JSON object in their
    /// place.
    ///
    /// - Throws: A ``ModelError`` that names the first option that is unknown or has an invalid value.
    package init(for model: Model, parsing json: String?) throws(ModelError) {
      var task = model.info.task ?? TaskDescription(type: "")
      var seed = 0
      if let json {
        let limits = JSONLimits(bytes: JSONLimits.maxDescriptionBytes)
        let given = try Self.format.value.read(Array(json.utf8), limits: limits)
        task.settings.merge(given.settings) { $1 }
        seed = Self.seed.value(in: given)
      }
      self.init(task)
      self.seed = UInt64(max(0, seed))
    }

    private static let seed = TaskSetting.integer(
      "seed", in: 0...Int.max, default: 0, "The seed of the random numbers above temperature 0.")

    private static let format = ObjectFormat(
      "the options", schema: "transcriptionOptions", TaskDescription(type: ""),
      unknownKeyError: .unknownKey
    ) {
      (TranscriptionTask.options + [seed.field]).map { field in
        field.kept { description, value in description.settings[field.key] = value }
      }
    }
  }

  extension Field<TaskSettings> {
    /// Returns the field of a setting in another object, which keeps the value as it is.
    func kept<Outer: Sendable>(
      _ keep: @escaping @Sendable (inout Outer, JSONValue) -> Void
    ) -> Field<Outer> {
      lifted(get: { _ in TaskSettings() }, set: { _, _ in })
        .checked { outer, node, _, _ in keep(&outer, node.value) }
    }
  }
#endif
