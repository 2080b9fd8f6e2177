/// Converts ranges of bytes to the ranges of whole characters of the original text.
struct ByteLevelRanges {
  private let text: [UInt8]
  /// The number of bytes that were added at the beginning.
  private let shift: Int
  private let trims: Bool
  /// Whether any range may change.
  let areChanged: Bool

  init(text: [UInt8], shift: Int, trims: Bool) {
    self.text = text
    self.shift = shift
    self.trims = trims
    areChanged = shift > 0 || trims || text.contains { $0 >= 0x80 }
  }

  /// Returns the range of the original text for a range of bytes.
  func range(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    // An added space alone stands for the first character, as in the reference.
    if end <= shift, shift < text.count { return 0..<UTF8Text.length(after: text[shift]) }
    while start > 0, start < text.count, isContinuation(start) { start -= 1 }
    while end < text.count, isContinuation(end) { end += 1 }
    if trims {
      while start < end, let length = spaceLength(at: start) { start += length }
      while start < end, let length = spaceLength(before: end) { end -= length }
      start = min(start, end)
    }
    return max(start - shift, 0)..<max(end - shift, 0)
  }

  private func isContinuation(_ index: Int) -> Bool { text[index] & 0xC0 == 0x80 }

  private func spaceLength(at index: Int) -> Int? {
    let (scalar, length) = UTF8Text.scalar(at: index, in: text.span)
    return ScalarClass(of: scalar).contains(.space) ? length : nil
  }

  private func spaceLength(before end: Int) -> Int? {
    var start = end - 1
    while start > 0, isContinuation(start) { start -= 1 }
    return spaceLength(at: start)
  }
}
