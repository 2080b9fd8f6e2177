#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration
  import TensorIOJSON
  import TensorIOText

  extension GenerationTask {
    /// Recognizes decoders with caches, and reads how they are used in the folder that they were published in.
    package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
      let outputs = evidence.outputs
      guard !evidence.description.caches.isEmpty,
        evidence.description.inputs.contains(where: \.isText),
        let output = outputs.first(where: { $0.layer.name == scoresName }) ?? outputs.first,
        case .array(let layer) = output.layer.kind
      else { return nil }
      var guess = TaskGuess(
        format.names[0], roles: [output.index: .nextTokenScores], confidence: .certain)
      guard let hub = evidence.hub else { return guess }
      if layer.shape.dimensions.last == .some(nil), let count = hub[.config, "vocab_size"]?.int {
        guess.shapes[output.index] = TensorShape(layer.shape.dimensions.dropLast() + [count])
      }
      guess.areSettingsStated = true
      let hasEncoder = evidence.description.callerFunction != nil
      if hasEncoder { guess.addPrefix(of: hub) } else { guess.addTemplate(of: hub) }
      guess.addTokens(of: hub)
      guess.addContext(of: hub)
      guess.addSampling(hub[.generation] ?? hub[.runtime, "search"] ?? .object([]), hasEncoder)
      return guess
    }

    /// The name of the scores in most models.
    private static let scoresName = "logits"
  }

  extension TaskGuess {
    /// The name of the template in the bundle, and in folders that have it as a file of its own.
    private static let templateName = "chat_template.jinja"

    fileprivate mutating func addTemplate(of hub: HubFolder) {
      let stated = hub[.tokenizer, "chat_template"]
      // Folders with several templates name that of conversations.
      let named = stated?.elements?.first { $0["name"]?.string == "default" }?["template"]
      let file = try? hub.bytes(of: Self.templateName, limit: ModelBundle.maxTemplateBytes)
      guard let template = file ?? (named ?? stated)?.string.map({ Array($0.utf8) }) else {
        omissions.append(
          (
            GenerationTask.template.key, "none",
            "the folder has no template of messages, so prompts are continued, not answered"
          ))
        return
      }
      settings[GenerationTask.template.key] = .string(Self.templateName)
      assets[Self.templateName] = template
    }

    /// Adds the tokens that the decoder of a model with an encoder begins with.
    fileprivate mutating func addPrefix(of hub: HubFolder) {
      let tokenizer = hub.tokenizer
      func first(_ keys: String...) -> String? {
        keys.lazy.flatMap { key in
          Self.texts([hub[.generation, key], hub[.config, key]], tokenizer).prefix(1)
        }.first
      }
      // Without the first of them, decoders begin as texts do.
      let start = first("decoder_start_token_id", "bos_token_id")
      let prefix = [start, first("forced_bos_token_id")].compactMap(\.self)
      settings[GenerationTask.prefixKey] = .strings(prefix)
      if first("decoder_start_token_id") == nil {
        omissions.append(
          (
            GenerationTask.prefixKey, start ?? "none",
            "the folder does not say which token the decoder begins with"
          ))
      }
    }

    /// Returns the texts of tokens that are given by their texts or their numbers.
    private static func texts(
      _ values: [JSONValue?], _ tokenizer: (any Tokenizer)?
    ) -> [String] {
      values.compactMap(\.self).flatMap { $0.elements ?? [$0] }.compactMap { value in
        value.string ?? value["content"]?.string
          ?? value.int.flatMap { Int32(exactly: $0) }.flatMap { tokenizer?.text(of: $0) }
      }
    }

    fileprivate mutating func addTokens(of hub: HubFolder) {
      let tokenizer = hub.tokenizer
      func texts(_ values: [JSONValue?]) -> [String] { Self.texts(values, tokenizer) }
      let ends = texts([
        hub[.tokenizer, "eos_token"], hub[.generation, "eos_token_id"],
        hub[.config, "eos_token_id"], hub[.config, "text_config", "eos_token_id"],
        hub[.runtime, "model", "eos_token_id"],
      ]).filter { tokenizer?.id(of: $0) != nil }
      var end: [String] = []
      for text in ends where !end.contains(text) { end.append(text) }
      if end.isEmpty {
        omissions.append(
          (GenerationTask.endKey, "none", "without a token that ends texts, they end at a limit"))
      } else {
        settings[GenerationTask.endKey] = .strings(end)
      }
      let starts = texts([
        hub[.tokenizer, "bos_token"], hub[.generation, "bos_token_id"],
        hub[.config, "bos_token_id"],
      ])
      if let start = starts.first { settings[GenerationTask.start.key] = .string(start) }
    }

    fileprivate mutating func addContext(of hub: HubFolder) {
      let lengths = [
        hub[.config, "max_position_embeddings"], hub[.config, "n_positions"],
        hub[.config, "text_config", "max_position_embeddings"],
        hub[.runtime, "model", "context_length"], hub[.tokenizer, "model_max_length"],
      ].compactMap { $0?.int }.filter { (1..<HubFolder.unknownLength).contains($0) }
      if let length = lengths.min() {
        settings[GenerationTask.contextKey] = .integer(Int64(length))
      }
    }

    fileprivate mutating func addSampling(_ stated: JSONValue, _ hasEncoder: Bool) {
      if stated["do_sample"]?.bool == true {
        // These are the defaults of those who read the file.
        settings[GenerationTask.temperature.key] = stated["temperature"] ?? 1
        settings[GenerationTask.topK.key] = stated["top_k"] ?? 50
        for key in [GenerationTask.topP.key, GenerationTask.minP.key] where stated[key] != .null {
          settings[key] = stated[key]
        }
      }
      for key in [GenerationTask.repetitionPenalty.key, GenerationTask.lengthPenalty.key] {
        if let penalty = stated[key]?.double, penalty != 1 { settings[key] = .number(penalty) }
      }
      let key = GenerationTask.noRepeatNGramSize.key
      if let size = stated[key]?.int, size > 0 { settings[key] = .integer(Int64(size)) }
      addBeams(stated)
      if let count = stated["max_new_tokens"]?.int {
        settings[GenerationTask.maxTokens.key] = .integer(Int64(count))
      }
      let others = Self.otherSettings + (hasEncoder ? [] : [("forced_bos_token_id", .null)])
      for (key, value) in others {
        guard let found = stated[key], found != .null, found != value else { continue }
        omissions.append((key, found.text, "a setting that bundles do not have"))
      }
    }

    private mutating func addBeams(_ stated: JSONValue) {
      guard let count = stated["num_beams"]?.int, count > 1 else { return }
      guard stated["do_sample"]?.bool != true, count <= SamplingOptions.maxBeams else {
        omissions.append(("num_beams", "\(count)", "a setting that bundles do not have"))
        return
      }
      settings[GenerationTask.beams.key] = .integer(Int64(count))
      let key = GenerationTask.stopsEarly.key
      if let stopsEarly = stated[key]?.bool, stopsEarly { settings[key] = true }
    }

    /// Settings that have no place in a bundle, with the values that have no effect.
    private static let otherSettings: [(key: String, value: JSONValue)] = [
      ("typical_p", 1), ("epsilon_cutoff", 0), ("eta_cutoff", 0), ("min_new_tokens", 0),
      ("suppress_tokens", []),
      ("begin_suppress_tokens", []), ("bad_words_ids", []),
    ]
  }

  extension HubFolder {
    /// The tokenizer of the folder; `nil` if there is none that can be read.
    fileprivate var tokenizer: (any Tokenizer)? {
      let description = TokenizerDescription(.huggingFace, file: HubFolder.tokenizerName)
      guard
        let bytes = try? bytes(of: description.file, limit: ModelBundle.maxTokenizerBytes)
      else { return nil }
      return try? description.tokenizer(bytes, merges: [])
    }
  }
#endif
