#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON

  extension TranscriptionTask {
    /// Recognizes decoders of speech, and reads the numbers of their tokens in the folder that they were published in.
    package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
      guard let hub = evidence.hub, !evidence.description.caches.isEmpty,
        hub[.config, "model_type"]?.string == "whisper",
        let output = evidence.output(named: TaskGuess.Evidence.logitsName)
      else { return nil }
      var guess = TaskGuess(
        format.names[0], roles: [output.index: .nextTokenScores], confidence: .certain)
      let count = output.layer.shape.dimensions.last ?? nil
      let vocabulary = count ?? hub[.config, "vocab_size"]?.int
      if count == nil, let vocabulary {
        guess.shapes[output.index] = TensorShape(
          output.layer.shape.dimensions.dropLast() + [vocabulary])
      }
      guess.areSettingsStated = true
      guess.addTokens(of: hub, vocabulary: vocabulary)
      guess.addLimits(of: hub)
      guess.addHeads(of: hub, evidence.attentions)
      return guess
    }
  }

  extension TaskGuess {
    private typealias Task = TranscriptionTask

    fileprivate mutating func addTokens(of hub: HubFolder, vocabulary: Int?) {
      func stated(_ key: String) -> JSONValue? { hub[.generation, key] ?? hub[.config, key] }
      let start = stated("decoder_start_token_id")?.int
      set(Task.start, start)
      set(Task.end, stated("eos_token_id").flatMap { $0.int ?? $0.elements?.first?.int })
      // Times are the last tokens of the vocabulary: 0 to 30 seconds.
      set(
        Task.withoutTimes,
        stated("no_timestamps_token_id")?.int ?? vocabulary.map { $0 - Self.timeCount - 1 })
      for (key, name) in [
        (Task.suppressed.key, "suppress_tokens"),
        (Task.suppressedAtFirst.key, "begin_suppress_tokens"),
      ] {
        guard let list = stated(name)?.elements else { continue }
        settings[key] = .array(list.filter { ($0.int ?? -1) >= 0 })
      }
      addLanguages(of: hub, start: start, vocabulary: vocabulary)
    }

    private static let timeCount = 1501
    /// The size of the vocabularies for one language, and of those with one language more than others.
    private static let monolingualCount = 51_864
    private static let largeCount = 51_866

    private mutating func addLanguages(of hub: HubFolder, start: Int?, vocabulary: Int?) {
      let isMultilingual =
        hub[.generation, "is_multilingual"]?.bool ?? (vocabulary.map { $0 > Self.monolingualCount })
      guard isMultilingual == true, let start else { return }
      let named = hub[.generation, "lang_to_id"]?.members ?? []
      var languages = named.map { member in
        JSONValue.Member(member.key.filter { $0.isLetter }, member.value)
      }
      let count = (vocabulary ?? 0) >= Self.largeCount ? 100 : 99
      if languages.isEmpty {
        languages = SpokenLanguage.all.prefix(count).enumerated().map { index, language in
          JSONValue.Member(language.code, .integer(Int64(start + 1 + index)))
        }
      }
      settings[Task.languages.key] = .object(languages)
      let tasks = hub[.generation, "task_to_id"]
      set(Task.translate, tasks?["translate"]?.int ?? start + 1 + count)
      set(Task.transcribe, tasks?["transcribe"]?.int ?? start + 2 + count)
    }

    fileprivate mutating func addLimits(of hub: HubFolder) {
      if let context = hub[.config, "max_target_positions"]?.int {
        settings[Task.context.key] = .integer(Int64(context))
        settings[Task.maxTokens.key] = .integer(Int64(max(1, context / 2)))
      }
      let latest = hub[.generation, "max_initial_timestamp_index"]?.int
      if let latest, latest != SpeechTokens.defaultMaxInitialTime {
        omissions.append(
          (
            Task.maxInitialTime.key, "1",
            "the folder states \(latest) steps of 0.02 seconds, as old ones do; the original program has 50"
          ))
      }
    }

    fileprivate mutating func addHeads(of hub: HubFolder, _ attentions: String?) {
      guard let attentions else {
        omissions.append(
          (
            Task.attentions.key, "none",
            "the model does not return its attention to the sound (cross_attentions.*), so words have no times"
          ))
        return
      }
      settings[Task.attentions.key] = .string(attentions)
      if let heads = hub[.generation, "alignment_heads"], heads.elements?.isEmpty == false {
        settings[Task.heads.key] = heads
      } else if let layers = hub[.config, "decoder_layers"]?.int,
        let count = hub[.config, "decoder_attention_heads"]?.int
      {
        // Without a list, the original program takes the heads of the upper half of the layers.
        settings[Task.heads.key] = .array(
          (layers / 2..<max(layers / 2, layers)).flatMap { layer in
            (0..<max(0, count)).map { [.integer(Int64(layer)), .integer(Int64($0))] }
          })
      }
    }

    private mutating func set(_ key: String, _ value: Int?) {
      if let value { settings[key] = .integer(Int64(value)) }
    }
  }
#endif
