/// The lines of a vocabulary file.
///
/// A line ends at a line feed, or at a carriage return and a line feed, and not at any other line break of Unicode,
/// which may be part of a token. A line feed at the end of the file begins no line.
struct VocabularyLines {
  /// The file without a byte order mark.
  let bytes: [UInt8]
  /// The locations of the lines without their ends.
  let ranges: [Range<Int>]

  /// Splits a file into lines.
  ///
  /// - Throws: ``TokenizerError`` if the file is too large or not valid UTF-8.
  init(_ bytes: [UInt8]) throws(TokenizerError) {
    try TokenVocabulary.checkSize(bytes)
    if let offset = UTF8Text.firstInvalidOffset(in: bytes.span) {
      throw TokenizerError(vocabulary: "it is not valid UTF-8 at byte \(offset)")
    }
    var ranges: [Range<Int>] = []
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
      let hasReturn = end < bytes.count && end > start && bytes[end - 1] == UInt8(ascii: "\r")
      ranges.append(start..<(hasReturn ? end - 1 : end))
      try TokenVocabulary.checkCount(ranges.count)
      start = end + 1
    }
    self.bytes = bytes
    self.ranges = ranges
  }
}
