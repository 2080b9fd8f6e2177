/// The ids of the tokens with a role, or `nil` if a vocabulary has none for the role.
package struct SpecialTokens: Sendable, Hashable {
  /// The token for text that the vocabulary does not contain.
  package var unknown: Int32?
  /// The token that fills the end or the beginning of a short sequence.
  package var padding: Int32?
  /// The token at the beginning of a sequence, for example `[CLS]`.
  package var start: Int32?
  /// The token at the end of a text, for example `[SEP]`.
  package var end: Int32?
  /// The token for a hidden word.
  package var mask: Int32?

  /// Creates a set of special tokens.
  package init(
    unknown: Int32? = nil, padding: Int32? = nil, start: Int32? = nil, end: Int32? = nil,
    mask: Int32? = nil
  ) {
    self.unknown = unknown
    self.padding = padding
    self.start = start
    self.end = end
    self.mask = mask
  }

  /// The ids without those of unknown text.
  var removedByDecoding: Set<Int32> { Set([padding, start, end, mask].compactMap(\.self)) }
}
