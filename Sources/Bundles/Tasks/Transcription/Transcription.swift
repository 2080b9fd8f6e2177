#if Everything
  import TensorIOAudio
  public import TensorIOBundle
  import TensorIOGeneration

  /// A transcript that is written while it is read.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "whisper.tiobundle")
  /// for try await segment in try model.transcribe(AudioBuffer(contentsOf: "talk.wav")) {
  ///   print(segment.start, segment.text)
  /// }
  /// ```
  ///
  /// The model listens to the next window, usually of 30 seconds, when the segments of the one before were read, on a background
  /// thread. After a loop that ends early, nothing more is transcribed.
  public struct Transcription: AsyncSequence, Sendable {
    /// A section of the recording with its text.
    public typealias Element = Transcript.Segment

    let loop: TranscriptionLoop

    init(_ loop: TranscriptionLoop) { self.loop = loop }

    /// Asks for the segments.
    public struct Iterator: AsyncIteratorProtocol {
      let loop: TranscriptionLoop
      private let queue = StepQueue()

      /// Returns the next segment; `nil` after the last one.
      ///
      /// - Throws: A ``ModelError`` if the model fails, or ``ModelError/cancelled`` if the task is canceled.
      public mutating func next() async throws(ModelError) -> Transcript.Segment? {
        let loop = loop
        return try await queue.run({ () throws(ModelError) in try loop.next() }) { loop.cancel() }
      }

      init(_ loop: TranscriptionLoop) { self.loop = loop }
    }

    /// Begins to ask for the segments.
    public func makeAsyncIterator() -> Iterator { Iterator(loop) }

    /// Returns the next segment on the calling thread; `nil` after the last one.
    ///
    /// - Throws: A ``ModelError`` if the model fails, or the transcription is canceled.
    public func next() throws(ModelError) -> Transcript.Segment? { try loop.next() }

    /// Transcribes the rest of the recording on the calling thread, and returns all of it.
    ///
    /// - Throws: A ``ModelError`` if the model fails, or the transcription is canceled.
    public func result() throws(ModelError) -> Transcript {
      while try loop.next() != nil {}
      return loop.result
    }

    /// The transcript so far, also after an error.
    public var partialResult: Transcript { loop.result }

    /// Ends the transcription; a step that runs ends as soon as the runtime allows.
    public func cancel() { loop.cancel() }
  }
#endif
