extension String {
  /// As much of a label or a name as is shown anywhere.
  var shown: String { cut(to: 80).oneLine }

  /// The text in so many letters, the last a sign that there were more.
  func cut(to count: Int) -> String {
    let end = index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex
    // A letter can have any number of accents.
    let few = unicodeScalars.prefix(8 * count)
    guard end < endIndex || few.endIndex < endIndex else { return self }
    let letters = end < endIndex ? prefix(count - 1) : self[...]
    return String(self[..<Swift.min(letters.endIndex, few.endIndex)]) + "…"
  }

  /// The text without line breaks.
  var oneLine: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
