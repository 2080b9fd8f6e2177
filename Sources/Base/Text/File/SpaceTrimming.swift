/// The removal of spaces from the ranges of byte-level tokens, as by the postprocessors of `tokenizers`.
struct SpaceTrimming: Sendable {
  /// Whether the first token keeps its only space, because it may have been inserted.
  let keepsFirst: Bool

  /// Returns the range of a token without the spaces of the token.
  ///
  /// - Parameters:
  ///   - range: The range.
  ///   - text: The text.
  ///   - leading: The number of spaces at the beginning of the token.
  ///   - trailing: The number of spaces at its end.
  ///   - isFirst: Whether the token is the first one.
  func trimmed(
    _ range: Range<Int>, of text: Span<UInt8>, leading: Int, trailing: Int, isFirst: Bool
  ) -> Range<Int> {
    var start = range.lowerBound
    if !(keepsFirst && leading == 1 && (isFirst || start == 0)) {
      for _ in 0..<leading where start < range.upperBound {
        start += UTF8Text.length(after: text[start])
      }
    }
    var end = range.upperBound
    for _ in 0..<trailing {
      // As in the reference, a range that is nearer to the beginning of the text than its spaces allow is kept.
      guard end > 0 else { return start..<max(start, range.upperBound) }
      end = UTF8Text.start(before: end, in: text)
    }
    return start..<max(start, end)
  }
}
