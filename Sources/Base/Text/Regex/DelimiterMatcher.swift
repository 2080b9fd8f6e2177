/// Finds the delimiters of a text.
///
/// The leftmost match counts, and of those the one that Perl's rules prefer, as in RE2.
struct DelimiterMatcher: Sendable {
  private let program: DelimiterProgram
  private let run: (set: ScalarSet, isRepeated: Bool)?

  /// Compiles a pattern.
  init(pattern: String) throws(TokenizerError) {
    program = try DelimiterParser.program(of: pattern)
    run = program.run
  }

  /// Returns the locations of the delimiters in a valid text.
  ///
  /// - Throws: ``TokenizerError`` if the pattern needs so much lookahead that the time is not linear.
  func matches(in text: Span<UInt8>) throws(TokenizerError) -> [Range<Int>] {
    if let run { return matches(of: run.set, isRepeated: run.isRepeated, in: text) }
    var search = DelimiterSearch(program)
    var matches: [Range<Int>] = []
    var index = 0
    // Bytes that were read behind the end of a match are read again.
    var repeatedBytes = 0
    while let (match, end) = search.first(in: text, from: index) {
      matches.append(match)
      index = match.upperBound
      repeatedBytes += end - index
      guard repeatedBytes <= 8 * text.count + 4096 else {
        throw TokenizerError(
          .unsuitableText(message: "the delimiter pattern needs too much lookahead for it"))
      }
    }
    return matches
  }

  private func matches(
    of set: ScalarSet, isRepeated: Bool, in text: Span<UInt8>
  ) -> [Range<Int>] {
    var matches: [Range<Int>] = []
    var start = -1
    var index = 0
    while index < text.count {
      let (scalar, length) = UTF8Text.scalar(at: index, in: text)
      if set.contains(scalar) {
        if start < 0 { start = index }
        if !isRepeated {
          matches.append(index..<index + length)
          start = -1
        }
      } else if start >= 0 {
        matches.append(start..<index)
        start = -1
      }
      index += length
    }
    if start >= 0 { matches.append(start..<text.count) }
    return matches
  }
}
