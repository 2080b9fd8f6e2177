#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration
  import TensorIOSystem
  import TensorIOText

  /// A speech model: an encoder of windows of sound, and a decoder that writes their texts with times.
  final class Transcriber: Sendable {
    private let model: any SteppableRuntimeModel
    private let encoder: PromptEncoder
    /// The input of the encoder.
    let layer: AudioLayer
    let tokens: SpeechTokens
    let text: SpeechText
    /// The maximum number of tokens in the caches.
    let context: Int
    /// The maximum number of tokens of a window.
    let maxTokens: Int
    /// Finds the times of words; `nil` for a model that does not return where it listens.
    let aligner: WordAligner?
    /// Computes the vectors of voices; `nil` for a bundle without a model of voices.
    let voices: Model?
    /// The options of the bundle.
    let options: TranscriptionOptions

    init(
      _ model: any SteppableRuntimeModel, _ encoder: PromptEncoder, _ layer: AudioLayer,
      _ tokens: SpeechTokens, _ text: SpeechText, context: Int, maxTokens: Int,
      aligner: WordAligner?, voices: Model?, _ options: TranscriptionOptions
    ) {
      (self.model, self.encoder, self.layer) = (model, encoder, layer)
      (self.tokens, self.text, self.aligner, self.voices) = (tokens, text, aligner, voices)
      (self.context, self.maxTokens, self.options) = (context, maxTokens, options)
    }

    /// Returns what assigns segments to speakers; `nil` if the options do not request it.
    ///
    /// - Throws: A ``ModelError`` if the bundle has no model of voices.
    func makeLabeler(_ options: TranscriptionOptions) throws(ModelError) -> SpeakerLabeler? {
      guard let speakers = options.speakers else { return nil }
      guard let voices else {
        throw ModelError(
          .input,
          .unsupported("speakers: the bundle has no model of voices (\"speakers\" in the task)"))
      }
      return try SpeakerLabeler(voices, speakers)
    }

    /// Creates empty caches, which the windows of a recording use one after another.
    func makeSequence(_ options: TranscriptionOptions) throws(ModelError) -> TokenSequence {
      let sequence = TokenSequence(try model.makeStepSession())
      guard tokens.firstTime < sequence.vocabularySize else {
        throw ModelError(
          .bundle,
          .unmetRequirement(
            "the model has \(sequence.vocabularySize) tokens, and no times after the token \(tokens.withoutTimes)"
          ))
      }
      try sequence.requireMemory(
        for: context, sequenceCount: options.beams, maxByteCount: GenerationOptions().maxCacheBytes)
      return sequence
    }

    /// Returns what the decoder reads of a window.
    func encode(_ window: LayerValue) throws(ModelError) -> [String: Tensor] {
      try encoder.encode(.value(window)).values
    }

    /// Returns the tokens before the text of a window.
    func prefix(language: String, translates: Bool) -> [Int32] {
      [tokens.start, tokens.languages[language], translates ? tokens.translate : tokens.transcribe]
        .compactMap(\.self)
    }
  }

  // MARK: Windows

  /// What a speech model wrote of a window.
  struct TranscribedWindow {
    /// The tokens of the text and its times.
    var tokens: [Int32] = []
    /// The mean logarithm of their probabilities, including that of the end.
    var logProbability = 0.0
    /// The probability that the window has no speech.
    var silence = 0.0
    /// The temperature at which the tokens were chosen.
    var temperature = 0.0
    /// The length of the text divided by its compressed length.
    var compressionRatio = 0.0
  }

  extension Transcriber {
    /// Returns the language that is most probable at the start of a window.
    func language(
      of values: [String: Tensor], _ sequence: TokenSequence, isCancelled: () -> Bool
    ) throws(ModelError) -> String {
      let turn = try sequence.begin(
        with: [tokens.start], after: values, isCancelled: isCancelled
      ).turn
      var scores = TokenScores()
      try sequence.readScores(turn: turn) { (row) throws(ModelError) in try scores.read(row) }
      return tokens.languages.sorted { $0.value < $1.value }.max {
        scores[$0.value] < scores[$1.value]
      }?.key ?? "en"
    }

    /// Returns the text of a window, at the first temperature at which it is neither improbable nor repetitive.
    ///
    /// - Parameters:
    ///   - values: What the encoder returned.
    ///   - prompt: The tokens of earlier windows.
    ///   - prefix: The tokens before the text.
    ///   - options: The temperatures and limits.
    ///   - sequence: The caches.
    ///   - isCancelled: Whether the transcription was canceled.
    /// - Returns: The tokens, and how probable they are.
    /// - Throws: A ``ModelError`` if a step fails or is canceled.
    func transcribe(
      _ values: [String: Tensor], after prompt: [Int32], _ prefix: [Int32],
      _ options: TranscriptionOptions, _ sequence: TokenSequence, isCancelled: () -> Bool
    ) throws(ModelError) -> TranscribedWindow {
      // Half of the caches is for what is written.
      let earlier = prompt.isEmpty ? [] : [tokens.previous] + prompt.suffix(context / 2 - 1)
      let all = earlier + prefix
      var scores = TokenScores()
      // The probability of silence is among the scores after the start, so the first step ends there.
      var turn = try sequence.begin(
        with: earlier + [tokens.start], after: values, isCancelled: isCancelled
      ).turn
      try sequence.readScores(turn: turn) { (row) throws(ModelError) in try scores.read(row) }
      let silence = silenceProbability(&scores)
      var window = TranscribedWindow()
      for (index, temperature) in options.temperatures.enumerated() {
        if index > 0 {
          turn = try sequence.begin(with: all, isCancelled: isCancelled).turn
        } else if prefix.count > 1 {
          try sequence.append(Array(prefix.dropFirst()), turn: turn)
        }
        window =
          temperature == 0 && options.beams > 1
          ? try search(all.count, options.beams, sequence, turn, isCancelled)
          : try write(all.count, temperature, options.seed &+ UInt64(index), sequence, turn)
        window.silence = silence
        if window.isAcceptable(for: options) { break }
      }
      return window
    }

    private func silenceProbability(_ scores: inout TokenScores) -> Double {
      exp(Double(scores[tokens.silence]) - scores.logSum())
    }

    /// Finds the most probable text of a window among several.
    private func search(
      _ prefixCount: Int, _ beams: Int, _ sequence: TokenSequence, _ turn: Int,
      _ isCancelled: () -> Bool
    ) throws(ModelError) -> TranscribedWindow {
      var options = SamplingOptions()
      (options.beams, options.stopsEarly) = (beams, true)
      var search = BeamSearch(
        for: text.empty, in: sequence, turn: turn, options, endTokens: [tokens.end],
        maxTokens: max(1, min(maxTokens, context - prefixCount)), .whisper)
      var scores = TokenScores()
      let found = try search.best(isCancelled: isCancelled) {
        (text, row, count) throws(ModelError) in
        try scores.read(row)
        tokens.applyRules(to: &scores, after: text.tokens)
        return scores.mostProbable(count)
      }
      return window(of: found.tokens, found.logProbability)
    }

    private func window(of tokens: [Int32], _ logProbability: Double) -> TranscribedWindow {
      var window = TranscribedWindow(tokens: tokens)
      window.logProbability = logProbability / Double(tokens.count + 1)
      window.compressionRatio = Array(text.text(of: tokens).trimmed.utf8).compressionRatio
      return window
    }

    /// Writes the text of a window once.
    private func write(
      _ prefixCount: Int, _ temperature: Double, _ seed: UInt64, _ sequence: TokenSequence,
      _ turn: Int
    ) throws(ModelError) -> TranscribedWindow {
      var written: [Int32] = []
      var random = SplitMix64(seed: seed, stream: 0)
      var scores = TokenScores()
      var total = 0.0
      while true {
        try sequence.readScores(turn: turn) { (row) throws(ModelError) in try scores.read(row) }
        tokens.applyRules(to: &scores, after: written)
        let chosen =
          temperature > 0 ? scores.draw(temperature: temperature, &random) : scores.best
        guard let token = chosen else {
          throw ModelError(.run, .failed("the model's rules exclude every token"))
        }
        total += Double(scores[token]) - scores.logSum()
        guard token != tokens.end else { break }
        written.append(token)
        let count = written.count
        guard count < maxTokens, prefixCount + count < context else { break }
        try sequence.append([token], turn: turn)
      }
      var window = window(of: written, total)
      window.temperature = temperature
      return window
    }
  }

  extension TranscribedWindow {
    /// Whether an improbable text is that of silence.
    func isSilent(for options: TranscriptionOptions) -> Bool {
      guard let threshold = options.silenceThreshold, silence > threshold else { return false }
      return logProbability <= options.minLogProbability ?? .infinity
    }

    /// Whether the text is neither improbable nor repetitive, or is that of silence.
    fileprivate func isAcceptable(for options: TranscriptionOptions) -> Bool {
      let isRepetitive = options.maxCompressionRatio.map { compressionRatio > $0 } ?? false
      let isImprobable = options.minLogProbability.map { logProbability < $0 } ?? false
      if isImprobable, options.silenceThreshold.map({ silence > $0 }) ?? false { return true }
      return !isRepetitive && !isImprobable
    }
  }

  extension TokenScores {
    /// Copies the scores of a step.
    mutating func read(_ row: Span<Float>) throws(ModelError) {
      do throws(SamplingError) {
        try replace(with: row)
      } catch {
        throw ModelError(.run, .failed("\(error.description)"))
      }
    }
  }

  extension [UInt8] {
    /// The number of bytes divided by that of the compressed bytes; 0 for none.
    fileprivate var compressionRatio: Double {
      guard let compressed = ContentCoding.deflate.compress(self, isFast: false) else { return 0 }
      return Double(count) / Double(compressed.count)
    }
  }
#endif
