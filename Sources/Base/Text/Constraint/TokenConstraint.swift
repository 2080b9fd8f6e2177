/// The tokens that may follow each other in a text with a constraint.
///
/// The tokens that may follow are found by one walk through the tree of the vocabulary's bytes, and kept for each state of the
/// text: within a string, for example, it is always the same one.
package struct TokenConstraint: Sendable {
  /// The maximum number of masks.
  private static let maxMasks = 256

  private let tokens: TokenBytes
  private let endTokens: Set<Int32>
  private var automaton: ByteAutomaton
  /// For each state, the tokens that may follow without those that end the text.
  private var masks: [Int32: TokenMask] = [:]
  /// The places that are still to be visited in a walk.
  private var pending: [(node: Int32, state: Int32)] = []

  /// Creates a constraint at the beginning of a text.
  ///
  /// - Parameters:
  ///   - grammar: The texts, made for the longest of the tokens.
  ///   - tokens: The vocabulary.
  ///   - endTokens: The tokens that end a text.
  /// - Throws: ``ConstraintError`` if no text of the tokens fulfills the constraint.
  package init(
    _ grammar: ByteGrammar, tokens: TokenBytes, endTokens: Set<Int32>
  ) throws(ConstraintError) {
    (self.tokens, self.endTokens) = (tokens, endTokens)
    automaton = try ByteAutomaton(grammar, usableBytes: tokens.usableBytes)
  }

  /// Whether the text fulfills the constraint.
  package var isFulfilled: Bool { automaton.isAccepting }

  /// Whether the text fulfills the constraint, and nothing can follow.
  package var isComplete: Bool { automaton.isComplete }

  /// Adds a token to the text, which ``mask()`` allows.
  package mutating func append(_ id: Int32) throws(ConstraintError) {
    for byte in tokens.bytes(of: id) { try automaton.append(byte) }
  }

  /// Returns to the beginning of a text; the tokens that are known to follow each other are kept.
  package mutating func restart() throws(ConstraintError) {
    if try automaton.beginStep() { masks = [:] }
    try automaton.restart()
  }

  /// Returns the tokens that may follow.
  ///
  /// - Throws: ``ConstraintError`` if there is none, because no token has the bytes that have to follow, or if the constraint is
  ///   too complex.
  package mutating func mask() throws(ConstraintError) -> TokenMask {
    if try automaton.beginStep() { masks = [:] }
    let state = try automaton.lookalike()
    if masks[state] == nil {
      if masks.count >= Self.maxMasks { masks = [:] }
      masks[state] = try walk(from: state)
    }
    var mask = masks[state] ?? TokenMask(tokenCount: 0)
    if isFulfilled { for id in endTokens { mask.insert(id) } }
    guard !mask.isEmpty else { throw .noToken }
    return mask
  }

  private mutating func walk(from state: Int32) throws(ConstraintError) -> TokenMask {
    var mask = TokenMask(tokenCount: tokens.count)
    let (tokens, trie) = (tokens, tokens.trie)
    pending.append((ByteTrie.root, state))
    defer { pending.removeAll(keepingCapacity: true) }
    while let (node, state) = pending.popLast() {
      for child in trie.children(of: node) {
        let next = try automaton.state(after: state, trie.byte(of: child))
        guard next != ByteAutomaton.dead else { continue }
        tokens.insert(child, in: &mask)
        if !trie.children(of: child).isEmpty { pending.append((child, next)) }
      }
    }
    return mask
  }
}
