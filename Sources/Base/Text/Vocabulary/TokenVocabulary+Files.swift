extension TokenVocabulary {
  /// Reads a file of one token a line, whose id is the number of the line, from 0.
  ///
  /// Spaces and tabs at the end of a line do not count.
  init(oneTokenPerLine file: [UInt8]) throws(TokenizerError) {
    let lines = try VocabularyLines(file)
    var tokens: [(range: Range<Int>, id: Int32)] = []
    tokens.reserveCapacity(lines.ranges.count)
    for (index, range) in lines.ranges.enumerated() {
      var end = range.upperBound
      while end > range.lowerBound, Self.isBlank(file[end - 1]) { end -= 1 }
      tokens.append((range.lowerBound..<end, Int32(index)))
    }
    try self.init(bytes: file, tokens: tokens)
  }

  /// Reads a file of a token, a space and an id a line; the token may contain spaces.
  ///
  /// Empty lines are skipped.
  init(tokensWithIDs file: [UInt8]) throws(TokenizerError) {
    let lines = try VocabularyLines(file)
    var tokens: [(range: Range<Int>, id: Int32)] = []
    tokens.reserveCapacity(lines.ranges.count)
    for (index, range) in lines.ranges.enumerated() where !range.isEmpty {
      guard let space = file[range].lastIndex(where: Self.isBlank), space > range.lowerBound,
        let id = Self.number(file[(space + 1)..<range.upperBound])
      else {
        throw TokenizerError(vocabulary: "line \(index + 1) is not a token, a space and an id")
      }
      tokens.append((range.lowerBound..<space, id))
    }
    try self.init(bytes: file, tokens: tokens)
  }

  /// Whether all lines of a file that are not empty end with a space and a number.
  static func hasIDs(_ file: [UInt8]) -> Bool {
    guard let lines = try? VocabularyLines(file), !lines.ranges.isEmpty else { return false }
    return lines.ranges.allSatisfy { range in
      guard !range.isEmpty else { return true }
      guard let space = file[range].lastIndex(where: isBlank), space > range.lowerBound else {
        return false
      }
      return number(file[(space + 1)..<range.upperBound]) != nil
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int32? {
    guard (1...9).contains(digits.count) else { return nil }
    var number: Int32 = 0
    for digit in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
      number = number * 10 + Int32(digit - UInt8(ascii: "0"))
    }
    return number
  }
}
