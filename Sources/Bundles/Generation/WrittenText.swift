import TensorIOBundle
package import TensorIOText

/// A text as far as it is written.
package struct WrittenText: Sendable {
  package private(set) var tokens: [Int32] = []
  private var detokenizer: StreamingDetokenizer
  private var filter: StopStringFilter
  private var constraint: ConstrainedText?
  /// Whether the constraint allows nothing more.
  private var isConstraintComplete = false

  /// Creates a text without tokens, which may have any continuation.
  package init(_ tokenizer: any Tokenizer) { self.init(tokenizer, stop: [], nil) }

  init(_ tokenizer: any Tokenizer, stop: [String], _ constraint: ConstrainedText?) {
    detokenizer = StreamingDetokenizer(tokenizer, continuesText: true)
    filter = StopStringFilter(stop)
    self.constraint = constraint
  }

  /// Whether the text ends with its last token, because a stop string was found or its constraint allows nothing more.
  var isWhole: Bool { filter.found != nil || isConstraintComplete }

  /// Returns the tokens that may follow; `nil` for all.
  mutating func mask() throws(ModelError) -> TokenMask? { try constraint?.mask() }

  /// Adds a token, and returns its text; empty while a character is incomplete or may be part of a stop string.
  mutating func append(_ id: Int32) throws(ModelError) -> String {
    tokens.append(id)
    isConstraintComplete = try constraint?.append(id) ?? false
    return filter.append(detokenizer.append(id))
  }

  /// Ends the text, and returns what was held back.
  mutating func finish() -> String {
    constraint.take()?.keep()
    guard filter.found == nil else { return "" }
    let rest = filter.append(detokenizer.finish())
    return filter.found == nil ? rest + filter.finish() : rest
  }
}
