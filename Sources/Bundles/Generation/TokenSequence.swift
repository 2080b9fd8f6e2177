import Synchronization
package import TensorIOBundle
package import TensorIOCore

/// The tokens in the caches of a model, which the next text can begin with.
///
/// Texts use a sequence one after another. One that another has followed cannot go on, because its tokens are gone.
package final class TokenSequence: Sendable {
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

  /// Creates an empty sequence.
  package init(_ session: any StepSession) { self.session = session }

  /// The maximum number of tokens; `nil` if the runtime does not limit it.
  package var capacity: Int? { session.capacity }
  /// The number of scores of each token.
  package var vocabularySize: Int { session.vocabularySize }

  /// Returns the number of tokens at the beginning that others begin with as well.
  func commonCount(with ids: [Int32]) -> Int {
    state.withLock { state in zip(state.ids, ids).prefix { $0 == $1 }.count }
  }

  /// Throws an error if the caches of a number of tokens take more memory than allowed.
  package func requireMemory(
    for count: Int, sequenceCount: Int = 1, maxByteCount: Int
  ) throws(ModelError) {
    let (byteCount, overflow) = session.cacheByteCount(for: count)
      .multipliedReportingOverflow(by: sequenceCount)
    guard !overflow, byteCount <= maxByteCount else {
      let tokens = sequenceCount == 1 ? "\(count)" : "\(sequenceCount) × \(count)"
      throw ModelError(
        .input,
        .failed(
          "the caches of \(tokens) tokens take \(byteCount) bytes, and the limit is \(maxByteCount); ask for fewer tokens, "
            + "or raise the limit"))
    }
  }

  /// Ends the step that runs, and those to come until a text begins.
  package func cancel() {
    cancelled.store(true, ordering: .sequentiallyConsistent)
    session.setCancelled(true)
  }

  /// Makes the caches hold a prompt.
  ///
  /// The last token always runs again, because its scores are needed.
  ///
  /// - Parameters:
  ///   - prompt: The tokens, at least one.
  ///   - values: What an encoder has returned, which replaces all tokens; `nil` for a model without one.
  ///   - isCancelled: Whether the text was canceled before it began.
  /// - Returns: The number of tokens that the caches held already, and the number of the text, for its later steps.
  /// - Throws: A ``ModelError`` if a step fails or is canceled.
  package func begin(
    with prompt: [Int32], after values: [String: Tensor]? = nil, isCancelled: () -> Bool
  ) throws(ModelError) -> (reused: Int, turn: Int) {
    try state.withLock { (state) throws(ModelError) in
      cancelled.store(false, ordering: .sequentiallyConsistent)
      session.setCancelled(false)
      guard !isCancelled() else { throw ModelError(.run, .cancelled) }
      state.turn += 1
      if let values {
        try session.begin(with: values)
        state.ids = []
      }
      let reused = try keepBeginning(of: prompt[..<(prompt.count - 1)], &state)
      try append(prompt[reused...], by: Self.chunkLength, &state)
      return (reused, state.turn)
    }
  }

  /// Calls `body` with each token of a text and the scores before it.
  ///
  /// What the caches hold of the beginning is not run again. The scores of a chunk of tokens are in memory at a time.
  ///
  /// - Parameters:
  ///   - ids: The tokens of the text, and those before it.
  ///   - start: The position of the first token of the text, at least 1.
  ///   - body: Reads the scores for a position.
  /// - Throws: The error of `body`, or a ``ModelError`` if a step fails.
  func readScores(
    of ids: ArraySlice<Int32>, from start: Int,
    _ body: (Int32, Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    try state.withLock { (state) throws(ModelError) in
      state.turn += 1
      // The first token of the text follows the last one that is run without reading scores.
      let kept = try keepBeginning(of: ids.prefix(start - 1), &state)
      try append(ids.prefix(start - 1).dropFirst(kept), by: Self.chunkLength, &state)
      let length = session.hasScoresOfEveryToken ? Self.chunkLength : 1
      try append(ids.dropFirst(start - 1).dropLast(), by: length, &state) {
        (index) throws(ModelError) in
        try session.readScores(after: index) { (scores) throws(ModelError) in
          try body(ids[ids.startIndex + index + 1], scores)
        }
      }
    }
  }

  /// Runs tokens from the beginning, and calls `body` with other outputs of each step, and with the scores after each token.
  ///
  /// - Parameters:
  ///   - ids: The tokens, which replace all others.
  ///   - outputs: The names of the outputs.
  ///   - keep: Keeps the values of the outputs for the tokens of a step.
  ///   - body: Reads the scores after the token at a position.
  /// - Throws: The error of a closure, or a ``ModelError`` if a step fails.
  package func run(
    _ ids: [Int32], returning outputs: [String],
    keep: ([Tensor]) throws(ModelError) -> Void,
    _ body: (Int, Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    try state.withLock { (state) throws(ModelError) in
      state.turn += 1
      _ = try keepBeginning(of: [], &state)
      let length = session.hasScoresOfEveryToken ? Self.chunkLength : 1
      var rest = ids[...]
      while !rest.isEmpty {
        let start = state.ids.count
        try keep(append(Array(rest.prefix(length)), returning: outputs, &state))
        for index in start..<state.ids.count {
          try session.readScores(after: index) { (scores) throws(ModelError) in
            try body(index, scores)
          }
        }
        rest = rest.dropFirst(length)
      }
    }
  }

  /// Removes all tokens that are not a common beginning with others, and returns the number of those that remain.
  private func keepBeginning(
    of ids: ArraySlice<Int32>, _ state: inout State
  ) throws(ModelError) -> Int {
    let common = zip(state.ids, ids).prefix { $0 == $1 }.count
    try session.truncate(to: common)
    state.ids = Array(ids.prefix(common))
    return common
  }

  /// Adds tokens in several steps, and calls `body` with the position of each after its step.
  private func append(
    _ tokens: ArraySlice<Int32>, by length: Int, _ state: inout State,
    _ body: (Int) throws(ModelError) -> Void = { _ in }
  ) throws(ModelError) {
    var rest = tokens
    while !rest.isEmpty {
      let start = state.ids.count
      _ = try append(Array(rest.prefix(length)), returning: [], &state)
      for index in start..<state.ids.count { try body(index) }
      rest = rest.dropFirst(length)
    }
  }

  /// Adds the tokens of a text, unless another text has followed it.
  package func append(_ tokens: [Int32], turn: Int) throws(ModelError) {
    try state.withLock { (state) throws(ModelError) in
      guard state.turn == turn else { throw ModelError(.run, .cancelled) }
      _ = try append(tokens, returning: [], &state)
    }
  }

  /// Returns a sequence with the same tokens, on which the text can go on differently.
  func fork(turn: Int) throws(ModelError) -> TokenSequence {
    try state.withLock { (state) throws(ModelError) in
      guard state.turn == turn else { throw ModelError(.run, .cancelled) }
      let fork = TokenSequence(try session.fork())
      let ids = state.ids
      fork.state.withLock { $0 = State(ids: ids, turn: turn) }
      return fork
    }
  }

  private func append(
    _ tokens: [Int32], returning outputs: [String], _ state: inout State
  ) throws(ModelError) -> [Tensor] {
    guard !cancelled.load(ordering: .sequentiallyConsistent) else {
      throw ModelError(.run, .cancelled)
    }
    let values = try session.append(tokens, returning: outputs)
    state.ids += tokens
    return values
  }

  /// Calls `body` with the scores of what follows the tokens of a text.
  package func readScores(
    turn: Int, _ body: (Span<Float>) throws(ModelError) -> Void
  ) throws(ModelError) {
    try state.withLock { (state) throws(ModelError) in
      guard state.turn == turn else { throw ModelError(.run, .cancelled) }
      try session.readScores(body)
    }
  }
}
