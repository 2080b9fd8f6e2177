#if Everything
  import Synchronization
  import TensorIOBundle
  import TensorIOCore
  import TensorIOSystem

  /// Makes phonemes of sentences: with a lexicon of the bundle, or with the program `espeak-ng`.
  final class Phonemizer: Sendable {
    private let info: ModelInfo
    private let alphabet: SpeechTask.Alphabet
    private let lexiconFiles: [String]
    private let lexicon = Mutex<Lexicon?>(nil)

    init(_ info: ModelInfo) {
      self.info = info
      alphabet = info[SpeechTask.alphabet]
      lexiconFiles = info[SpeechTask.lexicon]
    }

    /// Returns the phonemes of sentences with their marks, in the letters of the voice.
    ///
    /// - Parameters:
    ///   - sentences: The clauses of each sentence.
    ///   - language: The language, as a voice of `espeak-ng`.
    /// - Returns: The phonemes of each sentence.
    /// - Throws: A ``ModelError`` if the lexicon cannot be read, or the program is missing or fails.
    func phonemes(
      of sentences: [[TextDivision.Clause]], language: String
    ) throws(ModelError) -> [String] {
      let texts = sentences.flatMap { $0.map(\.text) }
      var sounds = try phonemes(of: texts, language)[...]
      return sentences.map { clauses in
        // The mark of a clause without phonemes is no sound.
        clauses.compactMap { clause in
          let sound = sounds.popFirst() ?? ""
          return sound.isEmpty ? nil : sound + String(Character(clause.mark))
        }.joined(separator: " ")
      }
    }

    private func phonemes(of texts: [String], _ language: String) throws(ModelError) -> [String] {
      guard alphabet != .text else { return texts.map(\.trimmed) }
      guard lexiconFiles.isEmpty else {
        let lexicon = try openLexicon()
        let sounds = texts.map(lexicon.phonemes(of:))
        return alphabet == .kokoro ? sounds : sounds.map(PhonemeLetters.toESpeak.converted)
      }
      let sounds = try ESpeakProgram(language: language).phonemes(of: texts)
      return alphabet == .espeak ? sounds : sounds.map(PhonemeLetters.toKokoro.converted)
    }

    /// Reads the lexicon when it is first needed, because it may be large.
    private func openLexicon() throws(ModelError) -> Lexicon {
      try lexicon.withLock { (lexicon) throws(ModelError) in
        if let lexicon { return lexicon }
        let read = try Lexicon(lexiconFiles, of: info.bundle)
        lexicon = read
        return read
      }
    }
  }
#endif
