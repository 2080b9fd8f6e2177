import Synchronization
public import TensorIOBundle

/// Messages and the model's answers, whose tokens stay in the caches: only what is new is read.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "smollm2.tiobundle")
/// let conversation = try model.conversation(system: "Answer briefly.")
/// for try await piece in try conversation.send("What is the capital of France?") {
///   print(piece.text, terminator: "")
/// }
/// ```
public final class Conversation: Sendable {
  private struct State {
    var messages: [ChatMessage]
    /// The answer to the last message, which may not be complete.
    var answer: TextGeneration?

    var allMessages: [ChatMessage] {
      messages + (answer.map { [.assistant($0.partialResult.text)] } ?? [])
    }
  }

  private let generator: TextGenerator
  private let sequence: TokenSequence
  private let options: GenerationOptions
  private let state: Mutex<State>

  package init(
    _ generator: TextGenerator, system: String?, _ options: GenerationOptions
  ) throws(ModelError) {
    (self.generator, self.options) = (generator, options)
    sequence = try generator.makeSequence()
    state = Mutex(State(messages: system.map { [.system($0)] } ?? []))
  }

  /// The messages so far, with the answers as far as they were read.
  public var messages: [ChatMessage] { state.withLock { $0.allMessages } }

  /// Returns the answer to a message, which is written while it is read.
  ///
  /// An answer that was not read to its end counts as far as it was read.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - options: How the answer is written; `nil` for the options of the conversation.
  /// - Returns: The answer.
  /// - Throws: A ``ModelError`` if the messages do not fit in the model's context.
  public func send(
    _ message: String, options: GenerationOptions? = nil
  ) throws(ModelError) -> TextGeneration {
    try state.withLock { (state) throws(ModelError) in
      state.answer?.cancel()
      let messages = state.allMessages + [.user(message)]
      let options = options ?? self.options
      let answer = try generator.generation(
        of: generator.tokens(of: .messages(messages), options), options, sequence)
      (state.messages, state.answer) = (messages, answer)
      return answer
    }
  }
}
