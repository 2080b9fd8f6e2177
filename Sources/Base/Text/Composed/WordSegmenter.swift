/// The segmentation of a word into tokens.
protocol WordSegmenter: Sendable {
  /// Whether adjacent unknown tokens are one.
  var joinsUnknown: Bool { get }
  /// Returns the tokens of a word; the id of unknown text is negative.
  func segments(of word: Span<UInt8>) -> [Segment]
}

extension WordSegmenter {
  var joinsUnknown: Bool { false }
}
