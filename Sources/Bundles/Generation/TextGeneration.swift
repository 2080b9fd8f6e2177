public import TensorIOBundle

/// A text that a model writes while it is read.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "smollm2.tiobundle")
/// for try await piece in try model.generate("Write a haiku about the sea.") {
///   print(piece.text, terminator: "")
/// }
/// ```
///
/// The model generates a token when the next piece is requested, on a background thread. After a loop that ends early, nothing
/// more is generated; canceling the task also ends the step that is running.
public struct TextGeneration: AsyncSequence, Sendable {
  /// A token with its text.
  public typealias Element = GeneratedPiece

  let loop: GenerationLoop

  init(_ loop: GenerationLoop) { self.loop = loop }

  /// Asks for the pieces.
  public struct Iterator: AsyncIteratorProtocol {
    let loop: GenerationLoop
    private let queue = StepQueue()

    /// Returns the next piece; `nil` after the last one.
    ///
    /// - Throws: A ``ModelError`` if the model fails, or ``ModelError/cancelled`` if the task is canceled.
    public mutating func next() async throws(ModelError) -> GeneratedPiece? {
      let loop = loop
      return try await queue.run({ () throws(ModelError) in try loop.next() }) { loop.cancel() }
    }

    init(_ loop: GenerationLoop) { self.loop = loop }
  }

  /// Begins to ask for the pieces.
  public func makeAsyncIterator() -> Iterator { Iterator(loop) }

  /// Writes the next piece on the calling thread; `nil` after the last one.
  ///
  /// - Throws: A ``ModelError`` if the model fails, or the text is canceled.
  public func next() throws(ModelError) -> GeneratedPiece? { try loop.next() }

  /// Writes the rest of the text on the calling thread, and returns all of it.
  ///
  /// - Throws: A ``ModelError`` if the model fails, or the text is canceled.
  public func result() throws(ModelError) -> GeneratedText {
    while try loop.next() != nil {}
    return loop.result
  }

  /// Whether no piece follows.
  package var isEnded: Bool { loop.isEnded }

  /// The text so far, also after an error.
  public var partialResult: GeneratedText { loop.result }

  /// Ends the text; a step that runs ends as soon as the runtime allows.
  public func cancel() { loop.cancel() }
}
