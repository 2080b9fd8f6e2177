import Synchronization
import TensorIOBundle
import TensorIOText

/// The constraints of a model's last texts, with the tokens that are known to follow each other.
///
/// Texts with the same constraint are common, for example those of a server's requests.
final class ConstraintCache: Sendable {
  /// The maximum number of constraints.
  private static let maxCount = 4

  private struct Entry {
    let constraint: TextConstraint
    let tokens: TokenConstraint
  }

  private struct State {
    var tokens: TokenBytes?
    /// The constraints that no text uses now, the last one at the end.
    var entries: [Entry] = []
  }

  private let tokenizer: any Tokenizer
  private let endTokens: Set<Int32>
  private let state = Mutex(State())

  /// Creates a cache for a vocabulary.
  init(_ tokenizer: any Tokenizer, endTokens: Set<Int32>) {
    (self.tokenizer, self.endTokens) = (tokenizer, endTokens)
  }

  /// Returns the beginning of a text.
  ///
  /// - Throws: A ``ModelError`` if the constraint is invalid, is not supported, or has no text.
  func text(_ constraint: TextConstraint) throws(ModelError) -> ConstrainedText {
    let known = state.withLock { state in
      state.entries.firstIndex { $0.constraint == constraint }
        .map { state.entries.remove(at: $0).tokens }
    }
    let tokens = try ModelError.rethrowing(.input) { () throws(ConstraintError) in
      guard var known else { return try compile(constraint) }
      try known.restart()
      return known
    }
    return ConstrainedText(constraint, tokens, self)
  }

  /// Keeps what is known of a constraint for the next text.
  func keep(_ tokens: TokenConstraint, for constraint: TextConstraint) {
    state.withLock { state in
      state.entries.removeAll { $0.constraint == constraint }
      if state.entries.count == Self.maxCount { state.entries.removeFirst() }
      state.entries.append(Entry(constraint: constraint, tokens: tokens))
    }
  }

  private func compile(_ constraint: TextConstraint) throws(ConstraintError) -> TokenConstraint {
    let tokens = try tokenBytes()
    let grammar =
      switch constraint {
      case .json: try ByteGrammar(schema: #"{"type": "object"}"#, lookahead: tokens.maxLength)
      case .schema(let schema): try ByteGrammar(schema: schema, lookahead: tokens.maxLength)
      case .pattern(let pattern): try ByteGrammar(pattern: pattern, lookahead: tokens.maxLength)
      }
    return try TokenConstraint(grammar, tokens: tokens, endTokens: endTokens)
  }

  private func tokenBytes() throws(ConstraintError) -> TokenBytes {
    try state.withLock { (state) throws(ConstraintError) in
      if let tokens = state.tokens { return tokens }
      let tokens: TokenBytes
      do throws(TokenizerError) {
        tokens = try TokenBytes(of: tokenizer, excluding: endTokens)
      } catch {
        throw .tooComplex(message: error.description)
      }
      state.tokens = tokens
      return tokens
    }
  }
}
