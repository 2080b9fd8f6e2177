#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON
  import TensorIOText

  extension SpeechTask {
    /// Recognizes voices of Piper, whose description is beside the model, and Kokoro, whose symbols and voices are.
    package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
      guard !evidence.modelPath.isEmpty else { return nil }
      return piper(evidence) ?? kokoro(evidence)
    }

    private static func emptyGuess() -> TaskGuess {
      var guess = TaskGuess(format.names[0], roles: [:], confidence: .certain)
      guess.areSettingsStated = true
      return guess
    }

    /// The name of the file with the symbols in drafted bundles.
    private static let symbolsName = "phonemes.json"

    // MARK: Piper

    private static func piper(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
      let description = evidence.description
      guard let text = description.inputs.firstIndex(where: { $0.name == "input" }),
        let lengths = description.inputs.firstIndex(where: { $0.name == "input_lengths" }),
        let scales = description.inputs.firstIndex(where: { $0.name == "scales" }),
        description.outputs.count == 1,
        let config = CompanionFile.json(at: evidence.modelPath + ".json"),
        let symbols = config["phoneme_id_map"]?.members, !symbols.isEmpty,
        let rate = config["audio"]?["sample_rate"]?.int
      else { return nil }
      let type = config["phoneme_type"]?.string ?? Alphabet.espeak.rawValue
      guard let letters = [Alphabet.espeak, .text].first(where: { $0.rawValue == type }) else {
        return nil
      }
      var guess = emptyGuess()
      // Phonemes are decomposed, so combined symbols are never looked up.
      let used = symbols.filter { member in
        !PhonemeTokenizer.isDecomposed(member.key)
      }
      guess.assets[symbolsName] = JSONValue.object(used).fileBytes
      let tokenizer = TokenizerDescription(
        .phonemes, file: symbolsName,
        specialTokens: [.start: "^", .end: "$", .between: "_"])
      guess.inputs[text] = layer(
        of: description.inputs[text], .ids, tokenizer, maxLength: maxPiperLength)
      guess.inputs[lengths] = layer(of: description.inputs[lengths], .length, source: "input")
      let inference = config["inference"]
      guess.inputs[scales] = description.inputs[scales].with(
        value: [
          inference?["noise_scale"]?.double ?? 0.667, inference?["length_scale"]?.double ?? 1,
          inference?["noise_w"]?.double ?? 0.8,
        ])
      guess.outputs[0] = sound(description.outputs[0], rate, .clip)
      guess.settings = [
        alphabet.key: .string(letters.rawValue), scalesInput: "scales",
        language.key: .string(config["espeak"]?["voice"]?.string ?? language.defaultValue),
      ]
      if let speaker = description.inputs.firstIndex(where: { $0.name == "sid" }) {
        guess.inputs[speaker] = description.inputs[speaker].with(value: [0])
        guess.settings[voiceInput] = "sid"
        guess.settings[speakers.key] = .object(speakers(in: config))
      }
      return guess
    }

    /// The maximum number of ids of a sentence of Piper, which has two for each phoneme.
    private static let maxPiperLength = 2000

    private static func speakers(in config: JSONValue) -> [JSONValue.Member] {
      let named = config["speaker_id_map"]?.members ?? []
      guard named.isEmpty else { return named }
      let count = min(max(config["num_speakers"]?.int ?? 1, 1), 1000)
      return (0..<count).map { JSONValue.Member("speaker-\($0)", .integer(Int64($0))) }
    }

    // MARK: Kokoro

    private static func kokoro(_ evidence: TaskGuess.Evidence) -> TaskGuess? {
      let description = evidence.description
      guard
        let text = description.inputs.firstIndex(where: {
          ["tokens", "input_ids"].contains($0.name)
        }), let style = description.inputs.firstIndex(where: { $0.name == "style" }),
        let speed = description.inputs.firstIndex(where: { $0.name == "speed" }),
        description.outputs.count >= 1
      else { return nil }
      let folder = VoiceFolder(of: evidence.modelPath)
      let files = folder.voices
      guard var symbols = folder.symbols, let first = files.keys.min() else { return nil }
      if !symbols.contains(where: { $0.key == "$" }) { symbols.append(.init("$", 0)) }
      var guess = emptyGuess()
      guess.assets[symbolsName] = JSONValue.object(symbols).fileBytes
      let tokenizer = TokenizerDescription(
        .phonemes, file: symbolsName, specialTokens: [.start: "$", .end: "$"])
      guess.inputs[text] = layer(
        of: description.inputs[text], .ids, tokenizer, maxLength: maxKokoroLength)
      var row = description.inputs[style]
      row.shape = TensorShape([1, styleWidth])
      guess.inputs[style] = row
      guess.inputs[speed] = description.inputs[speed].with(value: [1])
      guess.outputs[0] = sound(description.outputs[0], 24_000, .scale)
      for (name, bytes) in files { guess.assets[VoiceFolder.fileName(ofVoice: name)] = bytes }
      guess.settings = [
        alphabet.key: .string(Alphabet.kokoro.rawValue), voiceInput: "style", speedInput: "speed",
        voice: .string(first), pause.key: 0,
        language.key: first.hasPrefix("b") ? "en-gb" : "en-us",
        voices.key: .object(
          files.keys.sorted().map { .init($0, .string(VoiceFolder.fileName(ofVoice: $0))) }),
      ]
      let lexicons = folder.lexicons
      if !lexicons.isEmpty {
        guess.settings[lexicon.key] = .array(lexicons.map { .string($0.name) })
        for (name, bytes) in lexicons { guess.assets[name] = bytes }
      }
      return guess
    }

    /// The number of symbols that Kokoro takes, with those at both ends.
    private static let maxKokoroLength = 512
    /// The number of values of a voice for a number of symbols.
    static let styleWidth = 256

    // MARK: Layers

    private static func layer(
      of drafted: Layer, _ part: TextLayer.Part, _ tokenizer: TokenizerDescription? = nil,
      source: String? = nil, maxLength: Int? = nil
    ) -> Layer {
      Layer(
        name: drafted.name,
        kind: .text(
          TextLayer(
            shape: drafted.shape, elementType: drafted.elementType, part: part,
            tokenizer: tokenizer, source: source, maxLength: maxLength)))
    }

    private static func sound(
      _ output: Layer, _ rate: Int, _ peak: AudioLayer.Peak
    ) -> Layer.Kind {
      .audio(
        AudioLayer(
          shape: output.shape, elementType: output.elementType, sampleRate: rate, peak: peak))
    }
  }

  extension Layer {
    fileprivate func with(value: [Double]) -> Layer {
      var layer = self
      layer.defaultValue = value
      layer.shape = TensorShape([value.count])
      return layer
    }
  }
#endif
