extension String {
  /// As much of a label or a name as is shown anywhere.
  var shown: String { oneLine.cut(to: 80) }

  /// The text in so many letters, the last a sign that there were more.
  func cut(to count: Int) -> String {
    let end = index(startIndex, offsetBy: count, limitedBy: endIndex) ?? endIndex
    // A letter can have any number of accents.
    let room = 8 * count
    guard end < endIndex || unicodeScalars.count > room else { return self }
    let letters = end < endIndex ? prefix(count - 1) : self[...]
    return String(Substring(letters.unicodeScalars.prefix(room))) + "…"
  }

  /// The text without line breaks.
  var oneLine: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
