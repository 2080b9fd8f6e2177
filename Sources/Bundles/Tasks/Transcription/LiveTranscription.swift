#if Everything
  import Synchronization
  public import TensorIOAudio
  public import TensorIOBundle
  import TensorIOCore

  /// A transcript of sound that goes on, such as that of a microphone.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "whisper.tiobundle")
  /// let live = try model.liveTranscription { $0.language = "en" }
  /// // Called by what records, on another thread.
  /// live.append([Float](repeating: 0, count: live.sampleRate))
  /// while let update = try live.update() { print(update.segments.map(\.text), update.partialText) }
  /// print(try live.finish().text)
  /// ```
  ///
  /// Segments are final when their window, usually of 30 seconds, is complete; they are those of the whole recording, except
  /// that the range of the spectrogram is limited below the maximum of the sound so far. The text of the incomplete window is
  /// written again as sound arrives.
  public final class LiveTranscription: Sendable {
    /// What is new.
    public struct Update: Sendable, Hashable {
      /// The segments that have become final.
      public var segments: [Transcript.Segment]
      /// The text after them, which later updates replace; empty if nothing was said.
      public var partialText: String
      /// The length of the sound so far, in seconds.
      public var duration: Double
    }

    private struct State {
      var loop: TranscriptionLoop
      /// Assigns segments to speakers; `nil` if the options do not request it.
      var labeler: SpeakerLabeler?
      /// The sound that was not transcribed, and its start in frames.
      var samples: [Float] = []
      var start = 0
      /// The number of all samples.
      var sampleCount = 0
      /// The number of samples at the last update.
      var heardCount = 0
      var partialText = ""
      var segments: [Transcript.Segment] = []
      var isFinished = false
    }

    /// Sound that was not transcribed yet.
    private struct Arrived {
      var samples: [Float] = []
      /// Converts the sound that arrives; `nil` for sound in the form of the model.
      var converter: AudioStreamDecoder?

      /// Ends the conversion of sound of one rate and number of channels.
      mutating func finishConversion() {
        converter?.finish(to: &samples)
        converter = nil
      }
    }

    /// The number of samples per second.
    public let sampleRate: Int
    private let transcriber: Transcriber
    private let options: TranscriptionOptions
    private let arrived = Mutex(Arrived())
    private let state: Mutex<State>
    /// The loop before the first sound, whose steps are those of all.
    private let first: TranscriptionLoop
    private let cancelled = Atomic(false)

    /// The time in seconds after which a text is written again.
    private static let interval = 0.5
    /// The amplitude of sound that is too quiet for speech.
    private static let quietAmplitude: Float = 1e-3

    init(_ transcriber: Transcriber, _ options: TranscriptionOptions) throws(ModelError) {
      guard options.sections == nil else {
        throw ModelError(.input, .unsupported("sections of sound that goes on"))
      }
      (self.transcriber, self.options) = (transcriber, options)
      sampleRate = transcriber.layer.sampleRate
      first = try TranscriptionLoop(transcriber, [], options)
      state = Mutex(State(loop: first, labeler: try transcriber.makeLabeler(options)))
    }

    /// Ends the transcription, also from another thread: later calls, and one that runs, throw ``ModelError/cancelled``.
    public func cancel() {
      cancelled.store(true, ordering: .sequentiallyConsistent)
      first.cancel()
    }

    /// The final segments so far.
    public var segments: [Transcript.Segment] { state.withLock { $0.segments } }

    /// Adds sound.
    ///
    /// - Parameter samples: Samples of one channel at ``sampleRate``, from -1 to 1.
    ///   Those that are no numbers are silence.
    public func append(_ samples: [Float]) {
      arrived.withLock { arrived in
        arrived.finishConversion()
        arrived.samples += samples.audible
      }
    }

    /// Adds sound of any rate and number of channels.
    ///
    /// Consecutive parts of one rate and number of channels are one sound, wherever it is cut.
    ///
    /// - Parameter sound: The sound. Samples that are no numbers are silence.
    /// - Throws: A ``ModelError`` if the sound cannot be converted.
    public func append(_ sound: AudioBuffer) throws(ModelError) {
      guard sound.sampleRate != sampleRate || sound.channelCount > 1 else {
        return append(sound.samples)
      }
      try arrived.withLock { (arrived) throws(ModelError) in
        do throws(AudioError) {
          let format = try AudioFormat(
            encoding: .float32, sampleRate: sound.sampleRate, channelCount: sound.channelCount)
          if arrived.converter?.format != format {
            arrived.finishConversion()
            arrived.converter = try AudioStreamDecoder(
              format, sampleRate: sampleRate, mixesToMono: true)
          }
        } catch {
          throw ModelError(.input, .audio(error))
        }
        arrived.converter?.append(sound.samples.audible.littleEndianBytes, to: &arrived.samples)
      }
    }

    /// Transcribes the sound that was added.
    ///
    /// - Parameter writesPartialText: Whether the text of the incomplete window is written.
    /// - Returns: What is new; `nil` if less than half a second was added, or nothing that can be heard.
    /// - Throws: A ``ModelError`` if a step fails.
    public func update(writesPartialText: Bool = true) throws(ModelError) -> Update? {
      try whileNotCancelled { (state) throws(ModelError) in
        guard !state.isFinished else {
          throw ModelError(.run, .failed("the transcript is finished"))
        }
        let isNew = takeArrived(&state)
        guard isNew else { return nil }
        let segments = try finalSegments(&state, isSoundComplete: false)
        let text = state.partialText
        if writesPartialText {
          let new = state.samples.suffix(state.samples.count - state.heardCount)
          let isQuiet = new.allSatisfy { abs($0) < Self.quietAmplitude }
          if !segments.isEmpty || !isQuiet { state.partialText = try state.loop.draft() }
        }
        state.heardCount = state.samples.count
        guard !segments.isEmpty || state.partialText != text else { return nil }
        return Update(
          segments: segments, partialText: state.partialText, duration: duration(of: state))
      }
    }

    /// Transcribes the rest of the sound, after which none can be added.
    ///
    /// - Returns: The transcript of all sound, whose segments have speakers if the bundle has a model of voices.
    /// - Throws: A ``ModelError`` if a step fails.
    public func finish() throws(ModelError) -> Transcript {
      try whileNotCancelled { (state) throws(ModelError) in
        guard !state.isFinished else { return result(of: state) }
        arrived.withLock { $0.finishConversion() }
        _ = takeArrived(&state)
        _ = try finalSegments(&state, isSoundComplete: true)
        if let labeler = state.labeler {
          state.segments = try labeler.labeled(result(of: state)).segments
        }
        state.isFinished = true
        return result(of: state)
      }
    }

    /// The transcript of the final segments so far.
    package var partialResult: Transcript { state.withLock { result(of: $0) } }

    private func result(of state: State) -> Transcript {
      Transcript(
        text: state.segments.map(\.text).joined(), language: state.loop.result.language,
        duration: duration(of: state), segments: state.segments)
    }

    /// Calls a function with the state, unless the transcription is canceled.
    private func whileNotCancelled<Value: Sendable>(
      _ body: (inout State) throws(ModelError) -> Value
    ) throws(ModelError) -> Value {
      try state.withLock { (state) throws(ModelError) in
        guard !isCancelled else { throw ModelError(.run, .cancelled) }
        do throws(ModelError) {
          return try body(&state)
        } catch {
          throw isCancelled ? ModelError(.run, .cancelled) : error
        }
      }
    }

    private var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }

    /// Moves the sound that has arrived, if it is enough.
    private func takeArrived(_ state: inout State) -> Bool {
      let samples = arrived.withLock { arrived in
        defer { arrived.samples = [] }
        return arrived.samples
      }
      state.samples += samples
      state.sampleCount += samples.count
      return Double(state.samples.count - state.heardCount) >= Self.interval * Double(sampleRate)
    }

    private func duration(of state: State) -> Double {
      Double(state.sampleCount) / Double(sampleRate)
    }

    /// Returns the segments of complete windows, and forgets their sound.
    private func finalSegments(
      _ state: inout State, isSoundComplete: Bool
    ) throws(ModelError) -> [Transcript.Segment] {
      state.loop = try TranscriptionLoop(transcriber, state.samples, options, after: state.loop)
      var segments: [Transcript.Segment] = []
      while let segment = try state.loop.next(isSoundComplete: isSoundComplete) {
        try state.labeler?.add(segment, of: state.samples, atRate: sampleRate)
        let seconds = Double(state.start * state.loop.frameLength) / Double(sampleRate)
        segments.append(segment.moved(by: seconds, frames: state.start))
      }
      let removed = state.loop.removeTranscribedFrames()
      state.start += removed
      state.samples.removeFirst(min(state.samples.count, removed * state.loop.frameLength))
      state.heardCount = min(state.heardCount, state.samples.count)
      state.segments += segments
      if removed > 0 || isSoundComplete {
        state.partialText = ""
        state.loop = try TranscriptionLoop(transcriber, state.samples, options, after: state.loop)
      }
      return segments
    }
  }

  extension [Float] {
    /// The samples, with silence in place of those that are no numbers.
    fileprivate var audible: [Float] {
      allSatisfy(\.isFinite) ? self : map { $0.isFinite ? $0 : 0 }
    }

    fileprivate var littleEndianBytes: [UInt8] { Embedding(self).littleEndianBytes }
  }

  extension Transcript.Segment {
    /// Returns the segment at a later time.
    fileprivate func moved(by seconds: Double, frames: Int) -> Transcript.Segment {
      guard frames > 0 else { return self }
      var segment = self
      (segment.start, segment.end) = (start + seconds, end + seconds)
      segment.words = words.map { word in
        var word = word
        (word.start, word.end) = (word.start + seconds, word.end + seconds)
        return word
      }
      segment.seek += frames
      return segment
    }
  }
#endif
