extension JSONParser {
  /// A number of fewer bytes is never too large without an exponent.
  static let plainLength = 300

  /// Reads plain numbers of an array as far as each is followed by another, in a loop of its own:
  /// tensors are long rows of them.
  ///
  /// Whatever is not as plain as that, and the last of a row, is left at hand.
  mutating func readRow() {
    let text = bytes
    let span = text.span
    var count = 0
    while let (end, kind) = Self.plainNumber(in: span, from: offset),
      let next = Self.nextNumber(in: span, after: end)
    {
      entries.append(JSONEntry(kind, start: offset, end: end, next: entries.count + 1))
      offset = next
      count += 1
    }
    open[open.count - 1].count += count
  }

  /// The end of a number without an exponent, and whether it has a fraction.
  private static func plainNumber(
    in text: Span<UInt8>, from start: Int
  ) -> (end: Int, kind: JSONEntry.Kind)? {
    guard start < text.count else { return nil }
    let first = text[start] == ASCII.minus ? start + 1 : start
    let point = endOfDigits(in: text, from: first)
    guard point == first + 1 || point > first && text[first] != ASCII.zero,
      point - start < plainLength
    else { return nil }
    guard point < text.count, text[point] == ASCII.dot else { return (point, .integer) }
    let end = endOfDigits(in: text, from: point + 1)
    return end > point + 1 && end - start < plainLength ? (end, .fraction) : nil
  }

  /// Where a number begins behind a comma, and behind one blank at most.
  private static func nextNumber(in text: Span<UInt8>, after end: Int) -> Int? {
    guard end + 2 < text.count, text[end] == ASCII.comma else { return nil }
    let next = text[end + 1] == ASCII.space ? end + 2 : end + 1
    return text[next].isDigit || text[next] == ASCII.minus ? next : nil
  }

  private static func endOfDigits(in text: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < text.count, text[index].isDigit { index += 1 }
    return index
  }
}
