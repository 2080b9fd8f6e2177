import Synchronization
import TensorIOBundle
import TensorIOCore

/// The tokens in the caches of a model, which the next text can begin with.
///
/// Texts use a sequence one after another. One that another has followed cannot go on, because its tokens are gone.
final class TokenSequence: Sendable {
  private struct State {
    var ids: [Int32] = []
    /// The number of the text that uses the sequence.
    var turn = 0
  }

  private let session: any StepSession
  /// Locked during a step, because a session has one caller at a time.
  private let state = Mutex(State())
  private let cancelled = Atomic(false)

  /// The number of tokens of a step of a prompt.
  ///
  /// More take more memory and are no faster, and a step can be canceled only as a whole.
  private static let chunkLength = 128

  init(_ session: any StepSession) { self.session = session }

  var capacity: Int? { session.capacity }
  var vocabularySize: Int { session.vocabularySize }

  func cacheByteCount(for count: Int) -> Int { session.cacheByteCount(for: count) }

  /// Ends the step that runs, and those to come until a text begins.
  func cancel() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    session.setCancelled(true)
  }

  /// Makes the caches hold a prompt.
  ///
  /// The last token always runs again, because its scores are needed.
  ///
  /// - Parameters:
  ///   - prompt: The tokens, at least one.
  ///   - isCancelled: Whether the text was canceled before it began.
  /// - Returns: The number of tokens that the caches held already, and the number of the text, for its later steps.
  /// - Throws: A ``ModelError`` if a step fails or is canceled.
  func begin(
    with prompt: [Int32], isCancelled: () -> Bool
  ) throws(ModelError) -> (reused: Int, turn: Int) {
    try state.withLock { (state) throws(ModelError) in
      cancelled.store(false, ordering: .sequentiallyConsistent)
      session.setCancelled(false)
      guard !isCancelled() else { throw ModelError(.run, .cancelled) }
      state.turn += 1
      let common = zip(state.ids, prompt).prefix { $0 == $1 }.count
      let kept = min(common, prompt.count - 1)
      try session.truncate(to: kept)
      state.ids = Array(prompt[..<kept])
      var rest = prompt[kept...]
      while !rest.isEmpty {
        try append(Array(rest.prefix(Self.chunkLength)), &state)
        rest = rest.dropFirst(Self.chunkLength)
      }
      return (kept, state.turn)
    }
  }

  /// Adds the tokens of a text, unless another text has followed it.
  func append(_ tokens: [Int32], turn: Int) throws(ModelError) {
    try state.withLock { (state) throws(ModelError) in
      guard state.turn == turn else { throw ModelError(.run, .cancelled) }
      try append(tokens, &state)
    }
  }

  private func append(_ tokens: [Int32], _ state: inout State) throws(ModelError) {
    guard !cancelled.load(ordering: .sequentiallyConsistent) else {
      throw ModelError(.run, .cancelled)
    }
    try session.append(tokens)
    state.ids += tokens
  }

  /// Calls `body` with the scores of what follows the tokens of a text.
  func readScores(
    turn: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    try state.withLock { (state) throws(ModelError) in
      guard state.turn == turn else { throw ModelError(.run, .cancelled) }
      try session.readScores(body)
    }
  }
}
