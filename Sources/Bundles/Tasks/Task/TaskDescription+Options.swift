#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON

  extension TaskDescription {
    /// Creates the settings of a call that is not written in Swift: those of the bundle, with those of a JSON object in their
    /// place.
    ///
    /// - Throws: A ``ModelError`` that names the first setting that is unknown or has an invalid value.
    init(
      for model: Model, parsing json: String?, _ format: ObjectFormat<TaskDescription>
    ) throws(ModelError) {
      self = model.info.task ?? TaskDescription(type: "")
      guard let json else { return }
      let limits = JSONLimits(bytes: JSONLimits.maxDescriptionBytes)
      let given = try format.value.read(Array(json.utf8), limits: limits)
      settings.merge(given.settings) { $1 }
    }
  }

  extension ObjectFormat<TaskDescription> {
    /// Returns the format of the options of a call, which are settings of a bundle.
    static func options(schema: String, _ fields: [Field<TaskSettings>]) -> ObjectFormat {
      ObjectFormat(
        "the options", schema: schema, TaskDescription(type: ""), unknownKeyError: .unknownKey
      ) {
        fields.map { field in
          field.kept { description, value in description.settings[field.key] = value }
        }
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
