/// Finds the matches of a pattern in a text.
///
/// The leftmost match counts, and of those the one that Perl's rules prefer.
struct PatternMatcher: Sendable {
  /// The length that is read in vain at a place before the next match is searched from there at once.
  private static let maxFailedRead = 32

  private let program: PatternProgram
  private let automaton: PatternAutomaton?

  /// Compiles a pattern.
  init(pattern: String, dialect: PatternDialect) throws(TokenizerError) {
    program = try PatternParser.program(of: pattern, dialect: dialect)
    automaton = PatternAutomaton(program)
  }

  /// Returns the locations of the matches in a valid text.
  ///
  /// - Throws: ``TokenizerError`` if the pattern needs so much lookahead that the time is not linear.
  func matches(in text: Span<UInt8>) throws(TokenizerError) -> [Range<Int>] {
    var search: PatternSearch?
    var matches: [Range<Int>] = []
    var index = 0
    // Bytes that were read behind the end of a match are read again.
    var repeatedBytes = 0
    while index < text.count {
      var found: (match: Range<Int>, readEnd: Int)?
      if let automaton {
        let (end, readEnd) = automaton.match(at: index, in: text)
        if let end {
          found = (index..<end, readEnd)
        } else if readEnd - index < Self.maxFailedRead {
          index += UTF8Text.length(after: text[index])
          continue
        }
      }
      if found == nil {
        if search == nil { search = PatternSearch(program) }
        found = search?.first(in: text, from: index)
      }
      guard let found else { break }
      matches.append(found.match)
      index = found.match.upperBound
      repeatedBytes += found.readEnd - index
      guard repeatedBytes <= 8 * text.count + 4096 else {
        throw TokenizerError(
          .unsuitableText(message: "the pattern needs too much lookahead for it"))
      }
    }
    return matches
  }
}
