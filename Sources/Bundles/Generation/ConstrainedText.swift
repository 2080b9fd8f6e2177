import TensorIOBundle
import TensorIOText

/// The part of a text that is written, and the tokens that its constraint allows next.
struct ConstrainedText: Sendable {
  private let constraint: TextConstraint
  private var tokens: TokenConstraint
  private let cache: ConstraintCache

  init(_ constraint: TextConstraint, _ tokens: TokenConstraint, _ cache: ConstraintCache) {
    (self.constraint, self.tokens, self.cache) = (constraint, tokens, cache)
  }

  /// Returns the tokens that may follow.
  mutating func mask() throws(ModelError) -> TokenMask {
    try ModelError.rethrowing(.run) { () throws(ConstraintError) in try tokens.mask() }
  }

  /// Adds a token; returns whether nothing can follow.
  mutating func append(_ id: Int32) throws(ModelError) -> Bool {
    try ModelError.rethrowing(.run) { () throws(ConstraintError) in try tokens.append(id) }
    return tokens.isComplete
  }

  /// Keeps what is known of the constraint, after the last token.
  func keep() { cache.keep(tokens, for: constraint) }
}

extension ModelError {
  /// Calls `body`, whose error becomes one of a stage.
  static func rethrowing<Value>(
    _ stage: Stage, _ body: () throws(ConstraintError) -> Value
  ) throws(ModelError) -> Value {
    do {
      return try body()
    } catch {
      throw ModelError(stage, .invalidValue(.init("\(error)")))
    }
  }
}
