#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  package import TensorIOGeneration
  package import TensorIOJSON

  /// The options of a text by name, for callers that are not written in Swift.
  ///
  /// Options that a bundle can set have its names and ranges, and replace its values.
  package struct GenerationSettings: Sendable {
    private var values: [String: JSONValue] = [:]

    /// Creates settings that change nothing.
    package init() {}

    /// Parses a JSON object; `nil` changes nothing.
    ///
    /// - Throws: A ``ModelError`` that names the first option that is unknown or has an invalid value.
    package init(parsing json: String?) throws(ModelError) {
      guard let json else { return }
      let limits = JSONLimits(bytes: JSONLimits.maxDescriptionBytes)
      self = try Self.format.value.read(Array(json.utf8), limits: limits)
    }

    /// The value of an option, which is checked when the text begins; `nil` if it is not given.
    package subscript(name: String) -> JSONValue? {
      get { values[name] }
      set { values[name] = newValue }
    }

    /// Returns the options for a model, whose bundle's settings apply where none is given.
    package func options(for model: Model) -> GenerationOptions {
      let given = TaskDescription(type: "", settings: values)
      var merged = model.info.task ?? given
      merged.settings.merge(values) { $1 }
      var sampling = GenerationTask.sampling(of: merged)
      // A temperature that a caller gives takes the place of the bundle's search.
      let draws = values[GenerationTask.temperature.key] != nil && sampling.temperature > 0
      if draws, values[GenerationTask.beams.key] == nil { sampling.beams = 1 }
      sampling.presencePenalty = Self.presencePenalty.double(in: given)
      sampling.frequencyPenalty = Self.frequencyPenalty.double(in: given)
      sampling.seed = UInt64(max(0, Self.seed.value(in: given)))
      var options = GenerationOptions(
        maxTokens: values[GenerationTask.maxTokens.key]?.int,
        stop: GenerationTask.stop.value(in: given), sampling: sampling)
      options.constraint = constraint
      options.isRaw = Self.raw.value(in: given)
      options.allowsSpecialTokens = Self.allowSpecialTokens.value(in: given)
      options.maxCacheBytes = Self.maxCacheBytes.value(in: given)
      return options
    }

    private static let presencePenalty = TaskSetting.number(
      "presence_penalty", default: 0,
      "The number that is subtracted from the scores of tokens that the text has.")
    private static let frequencyPenalty = TaskSetting.number(
      "frequency_penalty", default: 0,
      "The number that is subtracted from the score of a token for each time that the text has it.")
    private static let seed = TaskSetting.integer(
      "seed", in: 0...Int.max, default: 0, "The seed of the random numbers.")
    /// What the text has to be; at most one of the options is given.
    private var constraint: TextConstraint? {
      if let schema = values[Self.jsonSchema.key] { return .schema(schema.text) }
      if let pattern = values[Self.pattern.key]?.string { return .pattern(pattern) }
      return values[Self.json.key]?.bool == true ? .json : nil
    }

    private static let json = TaskSetting.flag("json", "Whether the text has to be a JSON object.")
    private static let jsonSchema = TaskSetting(
      "json_schema", .json, default: "true",
      "The JSON Schema that the text has to fulfill as JSON.", convert: \.text)
    private static let pattern = TaskSetting.text(
      "pattern", default: ".*", "The regular expression that has to match the whole text.")
    /// The options of which a text can have one.
    private static let constraintKeys = [json.key, jsonSchema.key, pattern.key]

    private static let raw = TaskSetting.flag(
      "raw", "Whether the prompt is continued as it is, without the template.")
    private static let allowSpecialTokens = TaskSetting.flag(
      "allow_special_tokens", "Whether special tokens in messages have their meaning.")
    private static let maxCacheBytes = TaskSetting.integer(
      "max_cache_bytes", in: 1...Int.max, default: GenerationOptions().maxCacheBytes,
      "The maximum size of the caches.")

    private static let format = ObjectFormat(
      "the options", schema: "generationOptions", GenerationSettings(),
      unknownKeyError: .unknownKey,
      rules: [
        { _, fields, reader in
          let given = constraintKeys.filter { fields[$0].map { $0.bool != false } ?? false }
          guard given.count > 1, let node = fields[given[1]] else { return }
          reader.log.error(
            .conflictingKeys, at: node, expected: "one of json, json_schema and pattern",
            "\(given[1]) cannot be combined with \(given[0])", suggestion: "keep one of the two")
        }
      ]
    ) {
      (GenerationTask.textSettings
        + [
          presencePenalty.field, frequencyPenalty.field, seed.field, raw.field,
          json.field, jsonSchema.field, pattern.field, allowSpecialTokens.field,
          maxCacheBytes.field,
        ]).map { field in
          field.kept { settings, value in settings.values[field.key] = value }
        }
    }
  }
#endif
