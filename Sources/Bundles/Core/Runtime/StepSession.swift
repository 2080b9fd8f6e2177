package import TensorIOBundle

/// A sequence of tokens that a model is run on step by step, with the caches of the tokens so far in the runtime's memory.
///
/// No cache is ever copied to the caller. Several sequences of one model share its weights. A sequence is used by one caller at
/// a time; only ``setCancelled(_:)`` is called from other threads.
package protocol StepSession: AnyObject, Sendable {
  /// The number of tokens in the caches.
  var count: Int { get }

  /// The maximum number of tokens; `nil` if the runtime does not limit it.
  var capacity: Int? { get }

  /// The number of scores of each token.
  var vocabularySize: Int { get }

  /// Whether the scores after every token of a step can be read; if not, only those after the last one.
  var hasScoresOfEveryToken: Bool { get }

  /// The memory of the caches for a number of tokens, in bytes, which grows by the same for each token.
  func cacheByteCount(for count: Int) -> Int

  /// Removes all tokens, and sets the caches that a function of the bundle computes.
  ///
  /// - Parameter values: The values by the names of the model's inputs.
  /// - Throws: A ``ModelError`` if the model has no such caches, or the shape or the type of a value does not fit.
  func begin(with values: [String: Tensor]) throws(ModelError)

  /// Runs the model on more tokens. A step that fails leaves the sequence as it was.
  ///
  /// - Parameters:
  ///   - tokens: At least one token, at most as many as fit.
  ///   - outputs: The names of other outputs of the model that the caller reads, such as attentions. They are copied, and
  ///     computed only if they are named.
  /// - Returns: The values of the outputs.
  /// - Throws: A ``ModelError`` if the runtime fails, or a token or the number of them is out of range.
  func append(_ tokens: [Int32], returning outputs: [String]) throws(ModelError) -> [Tensor]

  /// Calls `body` with the scores of what follows a token.
  ///
  /// - Parameters:
  ///   - index: The position of the token in the sequence: that of the last one, or of another one of the last step if the
  ///     session has the ``hasScoresOfEveryToken``.
  ///   - body: Reads the scores, one for each token of the vocabulary.
  /// - Throws: The error of `body`, or a ``ModelError`` if the session does not have the scores.
  func readScores(
    after index: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError)

  /// Removes all tokens after the first `count`, so that another continuation can follow a common beginning.
  func truncate(to count: Int) throws(ModelError)

  /// Returns a sequence with the same tokens, which goes on differently. Both are used in turn, by one caller at a time.
  func fork() throws(ModelError) -> any StepSession

  /// Sets whether steps end as soon as possible, with an error.
  func setCancelled(_ isCancelled: Bool)
}

extension StepSession {
  /// Runs the model on more tokens.
  package func append(_ tokens: [Int32]) throws(ModelError) {
    _ = try append(tokens, returning: [])
  }

  /// Calls `body` with the scores of what follows the last token.
  package func readScores(_ body: (Span<Float>) throws(ModelError) -> Void) throws(ModelError) {
    try readScores(after: count - 1, body)
  }

  /// Throws an error if tokens cannot be added.
  ///
  /// Runtimes take numbers that are out of range: negative ones count rows of the vocabulary from its end, and positions after
  /// the end of a cache are those of other tokens.
  package func validate(_ tokens: [Int32], for input: String) throws(ModelError) {
    let (total, overflow) = count.addingReportingOverflow(tokens.count)
    guard !tokens.isEmpty, !overflow, total <= capacity ?? .max else {
      throw ModelError(
        .run,
        .failed("\(tokens.count) tokens after \(count) do not fit in caches of \(capacity ?? 0)"))
    }
    if let token = tokens.first(where: { $0 < 0 || Int($0) >= vocabularySize }) {
      throw ModelError(
        .input, .failed("the model has \(vocabularySize) tokens, and no token \(token)"),
        layer: input)
    }
  }
}
