#if Everything
  import Synchronization
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
      /// The sound that was not transcribed, and its start in frames.
      var samples: [Float] = []
      var start = 0
      /// The number of all samples.
      var sampleCount = 0
      /// The number of samples at the last update.
      var heardCount = 0
      var partialText = ""
      var segments: [Transcript.Segment] = []
    }

    /// The number of samples per second.
    public let sampleRate: Int
    private let transcriber: Transcriber
    private let options: TranscriptionOptions
    private let arrived = Mutex<[Float]>([])
    private let state: Mutex<State>

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
      state = Mutex(State(loop: try TranscriptionLoop(transcriber, [], options)))
    }

    /// The final segments so far.
    public var segments: [Transcript.Segment] { state.withLock { $0.segments } }

    /// Adds sound.
    ///
    /// - Parameter samples: Samples of one channel at ``sampleRate``, from -1 to 1.
    public func append(_ samples: [Float]) { arrived.withLock { $0 += samples } }

    /// Transcribes the sound that was added.
    ///
    /// - Parameter writesPartialText: Whether the text of the incomplete window is written.
    /// - Returns: What is new; `nil` if less than half a second was added, or nothing that can be heard.
    /// - Throws: A ``ModelError`` if a step fails.
    public func update(writesPartialText: Bool = true) throws(ModelError) -> Update? {
      try state.withLock { (state) throws(ModelError) in
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
    /// - Returns: The transcript of all sound.
    /// - Throws: A ``ModelError`` if a step fails.
    public func finish() throws(ModelError) -> Transcript {
      try state.withLock { (state) throws(ModelError) in
        _ = takeArrived(&state)
        _ = try finalSegments(&state, isSoundComplete: true)
        return Transcript(
          text: state.segments.map(\.text).joined(), language: state.loop.result.language,
          duration: duration(of: state), segments: state.segments)
      }
    }

    /// Moves the sound that has arrived, if it is enough.
    private func takeArrived(_ state: inout State) -> Bool {
      let samples = arrived.withLock { arrived in
        defer { arrived = [] }
        return arrived
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
