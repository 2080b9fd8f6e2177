/// Words of a text that are left out together.
struct WordGroup: Sendable {
  /// The words, as they are in the text.
  let text: String
  private let range: Range<String.Index>

  /// Divides a text at its spaces into at most `max` groups of words.
  static func groups(of text: String, max: Int) -> [WordGroup] {
    let words = text.split(whereSeparator: \.isWhitespace)
    let size = Swift.max(1, (words.count + max - 1) / max)
    return stride(from: 0, to: words.count, by: size).map { start in
      let last = words[Swift.min(start + size, words.count) - 1]
      let range = words[start].startIndex..<last.endIndex
      return WordGroup(text: String(text[range]), range: range)
    }
  }

  /// Returns the text without the words and the space after them.
  func removed(from text: String) -> String {
    let before = text[..<range.lowerBound]
    let after = text[range.upperBound...].drop(while: \.isWhitespace)
    return String(after.isEmpty ? before.trimmingEnd : before + after)
  }
}

extension Substring {
  fileprivate var trimmingEnd: Substring {
    var text = self
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
