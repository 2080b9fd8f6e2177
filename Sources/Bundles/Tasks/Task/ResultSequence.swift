#if Everything
  public import TensorIOBundle
  import TensorIOGeneration

  /// Computes a result part by part.
  protocol ResultLoop<Part, Whole>: AnyObject, Sendable {
    associatedtype Part: Sendable
    associatedtype Whole: Sendable

    /// Returns the next part; `nil` after the last one.
    func next() throws(ModelError) -> Part?
    /// The result so far.
    var result: Whole { get }
    /// Whether it is known that no part follows.
    var isComplete: Bool { get }
    /// Ends the computation.
    func cancel()
  }

  /// A result that is computed part by part while it is read, such as a ``Transcription`` or a ``SpeechSynthesis``.
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
  /// The next part is computed on a background thread when the one before was read. After a loop that ends early, nothing more is
  /// computed.
  public struct ResultSequence<Element: Sendable, Whole: Sendable>: AsyncSequence, Sendable {
    let loop: any ResultLoop<Element, Whole>

    init(_ loop: any ResultLoop<Element, Whole>) { self.loop = loop }

    /// Asks for the parts.
    public struct Iterator: AsyncIteratorProtocol {
      let loop: any ResultLoop<Element, Whole>
      private let queue = StepQueue()

      init(_ loop: any ResultLoop<Element, Whole>) { self.loop = loop }

      /// Returns the next part; `nil` after the last one.
      ///
      /// - Throws: A ``ModelError`` if the model fails, or ``ModelError/cancelled`` if the task is canceled.
      public mutating func next() async throws(ModelError) -> Element? {
        let loop = loop
        return try await queue.run({ () throws(ModelError) in try loop.next() }) { loop.cancel() }
      }
    }

    /// Begins to ask for the parts.
    public func makeAsyncIterator() -> Iterator { Iterator(loop) }

    /// Returns the next part on the calling thread; `nil` after the last one.
    ///
    /// - Throws: A ``ModelError`` if the model fails, or the computation is canceled.
    public func next() throws(ModelError) -> Element? { try loop.next() }

    /// Computes the rest on the calling thread, and returns all of the result.
    ///
    /// - Throws: A ``ModelError`` if the model fails, or the computation is canceled.
    public func result() throws(ModelError) -> Whole {
      while try loop.next() != nil {}
      return loop.result
    }

    /// The result so far, also after an error.
    public var partialResult: Whole { loop.result }

    /// Whether it is known that no part follows.
    package var isComplete: Bool { loop.isComplete }

    /// Ends the computation; a step that runs ends as soon as the runtime allows.
    public func cancel() { loop.cancel() }
  }
#endif
