import Synchronization
package import TensorIOBundle

/// The sequences of a model that the texts of many callers use in turn.
///
/// A text gets the sequence whose tokens it begins with, so that a conversation whose client sends all messages each time is not
/// read from its beginning again.
package final class SequencePool: Sendable {
  private struct State {
    /// The sequences that no text uses, least recently used first.
    var idle: [TokenSequence] = []
    /// The number of sequences that exist or are being made.
    var count = 0
    /// The callers that wait for a sequence; `nil` lets one make it.
    var waiting: [CheckedContinuation<TokenSequence?, Never>] = []
  }

  /// What a caller does next.
  private enum Turn {
    case use(TokenSequence)
    case make
    case wait
  }

  /// The model.
  package let generator: TextGenerator
  private let capacity: Int
  private let state = Mutex(State())

  /// Creates a pool without sequences.
  ///
  /// - Parameters:
  ///   - generator: The model.
  ///   - capacity: The maximum number of sequences, each with caches of its own.
  package init(_ generator: TextGenerator, capacity: Int) {
    (self.generator, self.capacity) = (generator, max(1, capacity))
  }

  /// Prepares a text, and waits for a sequence if all are in use.
  ///
  /// - Parameters:
  ///   - prompt: What the text follows.
  ///   - options: How it is written.
  /// - Returns: The text, which has the sequence until it is released.
  /// - Throws: A ``ModelError`` if the prompt does not fit in the model's context, or an option is out of range.
  package func generate(
    _ prompt: TextGenerator.Prompt, _ options: GenerationOptions
  ) async throws(ModelError) -> PooledGeneration {
    let tokens = try generator.tokens(of: prompt, options)
    let lease = SequenceLease(try await sequence(for: tokens.ids), self)
    return PooledGeneration(
      generation: try generator.generation(of: tokens, options, lease.sequence), lease: lease)
  }

  private func sequence(for ids: [Int32]) async throws(ModelError) -> TokenSequence {
    let found: TokenSequence?
    switch state.withLock({ Self.turn(for: ids, capacity, &$0) }) {
    case .use(let sequence): found = sequence
    case .make: found = nil
    case .wait:
      found = await withCheckedContinuation { continuation in
        let turn = state.withLock { state in
          let turn = Self.turn(for: ids, capacity, &state)
          if case .wait = turn { state.waiting.append(continuation) }
          return turn
        }
        switch turn {
        case .use(let sequence): continuation.resume(returning: sequence)
        case .make: continuation.resume(returning: nil)
        case .wait: break
        }
      }
    }
    if let found { return found }
    do throws(ModelError) {
      return try generator.makeSequence()
    } catch {
      release(nil)
      throw error
    }
  }

  /// How much a pool is used.
  package struct Load: Sendable {
    /// The number of texts that have a sequence.
    package var running = 0
    /// The number of texts that wait for one.
    package var waiting = 0
    /// The share of the sequences that texts have, 0 to 1.
    package var usage = 0.0

    /// Creates the load of a pool that does not exist.
    package init() {}
  }

  /// How much the pool is used at this time.
  package var load: Load {
    state.withLock { state in
      var load = Load()
      load.running = state.count - state.idle.count
      load.waiting = state.waiting.count
      load.usage = Double(load.running) / Double(capacity)
      return load
    }
  }

  private static func turn(for ids: [Int32], _ capacity: Int, _ state: inout State) -> Turn {
    let best = state.idle.indices.map { ($0, state.idle[$0].commonCount(with: ids)) }
      .max { $0.1 < $1.1 }
    // A new sequence does not lose the tokens of another conversation.
    if let (index, common) = best, 2 * common >= ids.count || state.count >= capacity {
      let index = common > 0 ? index : 0
      return .use(state.idle.remove(at: index))
    }
    guard state.count < capacity else { return .wait }
    state.count += 1
    return .make
  }

  /// Makes a sequence available again; `nil` is one that could not be made.
  fileprivate func release(_ sequence: TokenSequence?) {
    let next = state.withLock { state -> CheckedContinuation<TokenSequence?, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      if let sequence { state.idle.append(sequence) } else { state.count -= 1 }
      return nil
    }
    next?.resume(returning: sequence)
  }
}

/// A text with the sequence that it uses.
package struct PooledGeneration: Sendable {
  /// The text.
  package let generation: TextGeneration
  fileprivate let lease: SequenceLease
}

/// The use of a sequence, until the last reference is gone.
private final class SequenceLease: Sendable {
  let sequence: TokenSequence
  private let pool: SequencePool

  init(_ sequence: TokenSequence, _ pool: SequencePool) {
    (self.sequence, self.pool) = (sequence, pool)
  }

  deinit { pool.release(sequence) }
}
