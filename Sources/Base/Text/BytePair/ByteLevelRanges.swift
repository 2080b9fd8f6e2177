/// Converts ranges of bytes to the ranges of whole characters of the original text.
struct ByteLevelRanges {
  private let text: [UInt8]
  /// The number of bytes that were added at the beginning.
  private let shift: Int
  /// Whether any range may change.
  let areChanged: Bool

  init(text: [UInt8], shift: Int) {
    self.text = text
    self.shift = shift
    areChanged = shift > 0 || text.contains { $0 >= 0x80 }
  }

  /// Returns the range of the original text for a range of bytes.
  func range(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    // An added space alone stands for the first character, as in the reference.
    if end <= shift, shift < text.count { return 0..<UTF8Text.length(after: text[shift]) }
    while start > 0, start < text.count, isContinuation(start) { start -= 1 }
    while end < text.count, isContinuation(end) { end += 1 }
    return max(start - shift, 0)..<max(end - shift, 0)
  }

  private func isContinuation(_ index: Int) -> Bool { text[index] & 0xC0 == 0x80 }
}
