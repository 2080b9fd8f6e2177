#if Everything
  import Synchronization
  import TensorIOBundle
  import TensorIOCore
  import TensorIOGeneration
  import TensorIOSystem

  /// Transcribes a recording window by window.
  final class TranscriptionLoop: ResultLoop {
    /// How far a transcription is.
    struct State {
      /// The frame before which everything was transcribed.
      var seek = 0
      /// The tokens that the next window follows.
      var history: [Int32]
      var language: String?
      /// The segments that were not returned yet.
      var pending: [Transcript.Segment] = []
      var segments: [Transcript.Segment] = []
      /// Where the last words end.
      var lastSpeech = 0.0
      var isEnded = false

      /// Creates the state before the first window.
      init(history: [Int32], language: String?) {
        (self.history, self.language) = (history, language)
      }
    }

    private let state: Mutex<State>
    private let cancelled = Atomic(false)
    private let transcriber: Transcriber
    private let windows: SpeechWindows
    /// The frames that are transcribed, section by section.
    private let sections: [Range<Int>]
    private let options: TranscriptionOptions
    private let sequence: TokenSequence
    private let duration: Double

    /// Prepares a transcription, and computes the spectrogram.
    ///
    /// - Parameters:
    ///   - transcriber: The model.
    ///   - samples: The sound.
    ///   - options: The options.
    ///   - earlier: The loop of the sound before, whose text, caches and spectrogram this one follows; `nil` for none.
    /// - Throws: A ``ModelError`` if the model does not have what an option requires.
    init(
      _ transcriber: Transcriber, _ samples: [Float], _ options: TranscriptionOptions,
      after earlier: TranscriptionLoop? = nil
    ) throws(ModelError) {
      let tokens = transcriber.tokens
      if let language = options.language, !tokens.languages.isEmpty,
        tokens.languages[language] == nil
      {
        throw ModelError(
          .input, .failed("the model has no language '\(language)'; it has codes such as 'en'"))
      }
      if tokens.languages.isEmpty, let language = options.language, language != "en" {
        throw ModelError(.input, .failed("the model has one language, and not '\(language)'"))
      }
      if options.translates, tokens.translate == nil {
        throw ModelError(.input, .unsupported("translation by a model of one language"))
      }
      if options.hasWords, transcriber.aligner == nil {
        throw ModelError(
          .input,
          .unsupported(
            "times of words: the model does not return where it listens (\"attentions\" and \"alignment_heads\" in the task)"
          ))
      }
      guard !options.temperatures.isEmpty,
        options.temperatures.allSatisfy({ $0.isFinite && $0 >= 0 })
      else { throw ModelError(.input, .failed("the temperatures are not numbers of at least 0")) }
      guard (1...SamplingOptions.maxBeams).contains(options.beams) else {
        throw ModelError(.input, .failed("'beams' has to be from 1 to \(SamplingOptions.maxBeams)"))
      }
      (self.transcriber, self.options) = (transcriber, options)
      windows = try SpeechWindows(
        samples, transcriber.layer, maximum: earlier?.windows.maximum ?? -.infinity)
      sections = try windows.frames(of: options.sections)
      duration = Double(samples.count) / Double(transcriber.layer.sampleRate)
      if let earlier {
        sequence = earlier.sequence
        state = Mutex(earlier.state.withLock { $0 })
        return
      }
      sequence = try transcriber.makeSequence(options)
      let prompt = options.prompt.trimmed
      let history = prompt.isEmpty ? [] : try transcriber.text.tokens(of: " " + prompt)
      state = Mutex(
        State(
          history: history, language: tokens.languages.isEmpty ? "en" : options.language))
    }

    /// Ends the transcription; a step that runs ends as soon as the runtime allows.
    func cancel() {
      cancelled.store(true, ordering: .sequentiallyConsistent)
      sequence.cancel()
    }

    private var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

    /// Returns the next segment with text; `nil` after the last one.
    func next() throws(ModelError) -> Transcript.Segment? { try next(isSoundComplete: true) }

    /// Returns the next segment; of sound that goes on, only that of a window without missing frames.
    func next(isSoundComplete: Bool) throws(ModelError) -> Transcript.Segment? {
      try state.withLock { (state) throws(ModelError) in
        while state.pending.isEmpty, !state.isEnded, let frames = nextWindow(state),
          isSoundComplete || windows.isComplete(frames)
        {
          do throws(ModelError) {
            guard !isCancelled else { throw ModelError(.run, .cancelled) }
            try transcribeWindow(frames, &state)
          } catch {
            state.isEnded = true
            throw isCancelled ? ModelError(.run, .cancelled) : error
          }
        }
        return state.pending.isEmpty ? nil : state.pending.removeFirst()
      }
    }

    var isComplete: Bool {
      state.withLock { state in
        state.pending.isEmpty && (state.isEnded || nextWindow(state) == nil)
      }
    }

    /// The transcript so far.
    var result: Transcript {
      state.withLock { state in
        Transcript(
          text: state.segments.map(\.text).joined(), language: state.language ?? "",
          duration: duration, segments: state.segments)
      }
    }
  }

  // MARK: Sound that goes on

  extension TranscriptionLoop {
    /// Returns the text of the next window as it is now, with no more than one try.
    func draft() throws(ModelError) -> String {
      try state.withLock { (state) throws(ModelError) in
        guard let frames = nextWindow(state) else { return "" }
        var options = options
        (options.temperatures, options.beams) = ([0], 1)
        let values = try transcriber.encode(windows.window(frames))
        let language =
          if let known = state.language { known } else {
            try transcriber.language(of: values, sequence) { isCancelled }
          }
        let window = try transcriber.transcribe(
          values, after: state.history,
          transcriber.prefix(language: language, translates: options.translates), options, sequence,
          isCancelled: { isCancelled })
        return window.isSilent(for: options) ? "" : transcriber.text.text(of: window.tokens)
      }
    }

    /// The number of samples of a frame.
    var frameLength: Int { windows.frameLength }

    /// Forgets frames at the beginning that are transcribed, and returns how many; those that others reach into are kept.
    func removeTranscribedFrames() -> Int {
      state.withLock { state in
        let count = max(0, min(state.seek, windows.frameCount) - windows.marginCount)
        state.seek -= count
        state.lastSpeech -= Double(count) / windows.framesPerSecond
        return count
      }
    }
  }

  // MARK: Windows

  extension TranscriptionLoop {
    /// Returns the frames of the next window, which ends with its section at the latest; `nil` after the last one.
    private func nextWindow(_ state: State) -> Range<Int>? {
      guard let section = sections.first(where: { $0.upperBound > state.seek }) else { return nil }
      let start = max(state.seek, section.lowerBound)
      return start..<min(section.upperBound, start + windows.length)
    }

    private func transcribeWindow(_ frames: Range<Int>, _ state: inout State) throws(ModelError) {
      let (start, size) = (frames.lowerBound, frames.count)
      let values = try transcriber.encode(windows.window(frames))
      let language: String
      if let known = state.language {
        language = known
      } else {
        language = try transcriber.language(of: values, sequence) { isCancelled }
        state.language = language
      }
      let prefix = transcriber.prefix(language: language, translates: options.translates)
      let window = try transcriber.transcribe(
        values, after: state.history, prefix, options, sequence, isCancelled: { isCancelled })
      guard !window.isSilent(for: options) else {
        state.seek = start + size
        return
      }
      var (segments, next) = self.segments(of: window, from: start, size)
      if options.hasWords, let aligner = transcriber.aligner {
        let speechEnd = try addWords(
          to: &segments, aligner, prefix, language, from: start, size, state.lastSpeech)
        let isWhole = window.tokens.endsWithSingleTime(transcriber.tokens)
        if !isWhole, speechEnd > Double(start) / windows.framesPerSecond {
          next = Int((speechEnd * windows.framesPerSecond).rounded(.toNearestOrEven))
        }
        state.lastSpeech = speechEnd
      }
      // Whatever the model writes, the transcription ends.
      state.seek = max(next, start + 1)
      for segment in segments where segment.start < segment.end && !segment.line.isEmpty {
        state.pending.append(segment)
        state.segments.append(segment)
        state.history += segment.tokens
      }
      if !options.followsText || window.temperature > Self.maxFollowedTemperature {
        state.history = []
      }
    }

    /// The temperature above which a text is too uncertain to be followed.
    private static let maxFollowedTemperature = 0.5

    /// Divides the text of a window at pairs of times, and returns the frame at which the next window begins.
    private func segments(
      of window: TranscribedWindow, from start: Int, _ size: Int
    ) -> (segments: [Transcript.Segment], next: Int) {
      let (tokens, ids) = (transcriber.tokens, window.tokens)
      let offset = Double(start) / windows.framesPerSecond
      func segment(_ begin: Double, _ end: Double, _ ids: [Int32]) -> Transcript.Segment {
        Transcript.Segment(
          start: begin, end: end, text: transcriber.text.text(of: ids), tokens: ids,
          averageLogProbability: window.logProbability, silenceProbability: window.silence,
          compressionRatio: window.compressionRatio, temperature: window.temperature, seek: start)
      }
      var cuts = ids.indices.dropLast().filter {
        tokens.isTime(ids[$0]) && tokens.isTime(ids[$0 + 1])
      }.map { $0 + 1 }
      let isWhole = ids.endsWithSingleTime(tokens)
      guard !cuts.isEmpty else {
        let last = ids.last(where: tokens.isTime).map(tokens.seconds(of:)) ?? 0
        let length = last > 0 ? last : Double(size) / windows.framesPerSecond
        return ([segment(offset, offset + length, ids)], start + size)
      }
      if isWhole { cuts.append(ids.count) }
      var (segments, first) = ([Transcript.Segment](), 0)
      for cut in cuts {
        let part = Array(ids[first..<cut])
        segments.append(
          segment(
            offset + tokens.seconds(of: part[0]), offset + tokens.seconds(of: part[part.count - 1]),
            part))
        first = cut
      }
      // What follows the last pair is heard again in the next window.
      let heard = tokens.seconds(of: ids[first - 1]) * windows.framesPerSecond
      return (segments, isWhole ? start + size : start + Int(heard.rounded()))
    }

    /// Adds the words of a window, and returns where its speech ends.
    private func addWords(
      to segments: inout [Transcript.Segment], _ aligner: WordAligner, _ prefix: [Int32],
      _ language: String, from start: Int, _ size: Int, _ lastSpeech: Double
    ) throws(ModelError) -> Double {
      let text = transcriber.text
      let texts = segments.map { $0.tokens.filter(text.isText) }
      let all = texts.flatMap { $0 }
      var words: [WordTimes.Word] = []
      if !all.isEmpty {
        let framesPerTime = SpeechTokens.secondsPerTime * windows.framesPerSecond
        let times = try aligner.times(
          of: all, after: prefix, transcriber.tokens,
          positionCount: max(1, size / max(1, Int(framesPerTime.rounded()))), sequence)
        var position = 0
        for word in text.words(of: all, language: language) {
          let end = position + word.tokens.count
          let mean = times[position..<end].map(\.probability).reduce(0, +) / Double(end - position)
          words.append(
            WordTimes.Word(
              text: word.text, tokens: word.tokens, start: times[position].time,
              end: times[end].time, probability: mean))
          position = end
        }
      }
      WordTimes(words).assign(
        to: &segments, texts: texts, offset: Double(start) / windows.framesPerSecond,
        after: lastSpeech)
      let ends = segments.flatMap(\.words).map(\.end)
      return ends.last ?? segments.last?.end ?? lastSpeech
    }
  }

  extension [Int32] {
    /// Whether the last token is a time after a token that is none, so that the rest of the window has no speech.
    fileprivate func endsWithSingleTime(_ tokens: SpeechTokens) -> Bool {
      count > 1 && tokens.isTime(self[count - 1]) && !tokens.isTime(self[count - 2])
    }
  }
#endif
