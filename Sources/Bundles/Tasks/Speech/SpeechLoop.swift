#if Everything
  import Synchronization
  import TensorIOBundle
  import TensorIOCore
  import TensorIOSystem
  import TensorIOText

  /// Speaks a text sentence by sentence.
  final class SpeechLoop: ResultLoop {
    private struct State {
      /// The number of sentences whose phonemes are known.
      var position = 0
      /// The phonemes of the next sentences.
      var pending: ArraySlice<(text: String, phonemes: String)> = []
      var sentences: [Speech.Sentence] = []
      var missing: Set<Unicode.Scalar> = []
      var isEnded = false
    }

    private let state = Mutex(State())
    private let cancelled = Atomic(false)
    private let speaker: Speaker
    private let texts: [String]
    private let options: SpeechOptions
    private let values: [String: LayerValue]

    /// Sentences whose phonemes are made together: few at first, so that the first sound comes early.
    private static let firstBatchSize = 4
    private static let batchSize = 32

    /// Divides a text into sentences.
    ///
    /// - Parameters:
    ///   - speaker: The voice.
    ///   - text: The text.
    ///   - options: How it is spoken.
    ///   - values: Values of other inputs, which take precedence over those of the options.
    /// - Throws: A ``ModelError`` if the text has no words, or the options do not fit the bundle.
    init(
      _ speaker: Speaker, _ text: String, _ options: SpeechOptions,
      _ values: [String: LayerValue] = [:]
    ) throws(ModelError) {
      try speaker.check(options)
      let sentences = options.isPhonemes ? [text.trimmed] : TextDivision.sentences(in: text)
      texts = sentences.filter { sentence in
        options.isPhonemes ? !sentence.isEmpty : !TextDivision.clauses(of: sentence).isEmpty
      }
      guard !texts.isEmpty else {
        throw ModelError(.input, .invalidValue("the text has no words"))
      }
      (self.speaker, self.options, self.values) = (speaker, options, values)
    }

    /// Ends the speech after the sentence that is spoken.
    func cancel() { cancelled.store(true, ordering: .sequentiallyConsistent) }

    private var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

    /// Returns the next sentence that has sound; `nil` after the last one.
    func next() throws(ModelError) -> Speech.Sentence? {
      try state.withLock { (state) throws(ModelError) in
        do throws(ModelError) {
          while !state.isEnded {
            guard !isCancelled else { throw ModelError(.run, .cancelled) }
            if state.pending.isEmpty { try readPhonemes(&state) }
            guard let next = state.pending.popFirst() else { break }
            if let sentence = try speak(next, &state) { return sentence }
          }
          guard !state.sentences.isEmpty else {
            throw ModelError(.input, .invalidValue("the voice has no sound for the text"))
          }
          return nil
        } catch {
          state.isEnded = true
          throw error
        }
      }
    }

    var isComplete: Bool {
      state.withLock { $0.isEnded || $0.pending.isEmpty && $0.position >= texts.count }
    }

    /// The sentences so far.
    var result: Speech {
      state.withLock { state in
        Speech(
          sentences: state.sentences, sampleRate: speaker.sampleRate,
          missingSymbols: state.missing.sorted().map { String(Character($0)) })
      }
    }

    private func readPhonemes(_ state: inout State) throws(ModelError) {
      let size = state.position == 0 ? Self.firstBatchSize : Self.batchSize
      let batch = texts[state.position...].prefix(size)
      state.position += batch.count
      let phonemes =
        options.isPhonemes
        ? Array(batch)
        : try speaker.phonemizer.phonemes(
          of: batch.map(TextDivision.clauses(of:)),
          language: options.language ?? speaker.options.language ?? "")
      state.pending = Array(zip(batch, phonemes).map { (text: $0, phonemes: $1) })[...]
    }

    /// Returns the sound of a sentence; `nil` if the voice has none of its phonemes.
    private func speak(
      _ sentence: (text: String, phonemes: String), _ state: inout State
    ) throws(ModelError) -> Speech.Sentence? {
      var samples: [Float] = []
      for part in parts(of: sentence.phonemes, &state.missing) {
        guard !isCancelled else { throw ModelError(.run, .cancelled) }
        samples += try speaker.samples(of: part.phonemes, count: part.count, options, values)
      }
      guard !samples.isEmpty else { return nil }
      let last = state.sentences.last
      let result = Speech.Sentence(
        text: sentence.text, phonemes: sentence.phonemes,
        start: last.map { $0.end + options.pause } ?? 0, samples: samples,
        sampleRate: speaker.sampleRate)
      state.sentences.append(result)
      return result
    }

    /// Divides phonemes into parts that the model takes, at spaces if there are any.
    private func parts(
      of phonemes: String, _ missing: inout Set<Unicode.Scalar>
    ) -> [(phonemes: String, count: Int)] {
      var parts: [(phonemes: String, count: Int)] = []
      var part = (phonemes: "", count: 0)
      for word in phonemes.split(separator: " ") {
        let text = part.phonemes.isEmpty ? String(word) : " " + word
        let count = speaker.tokenizer.symbolCount(of: text, missing: &missing)
        if part.count + count <= speaker.maxCount {
          part = (part.phonemes + text, part.count + count)
          continue
        }
        parts.append(part)
        part = ("", 0)
        for scalar in word.unicodeScalars {
          let count = speaker.tokenizer.symbolCount(of: String(scalar), missing: &missing)
          if part.count + count > speaker.maxCount {
            parts.append(part)
            part = ("", 0)
          }
          part.phonemes.unicodeScalars.append(scalar)
          part.count += count
        }
      }
      return (parts + [part]).filter { $0.count > 0 }
    }
  }
#endif
