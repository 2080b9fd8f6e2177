extension String {
  /// A letter can have any number of accents; so many parts of one are shown.
  private static let partsOfLetter = 12

  /// As much of a label or a name as is shown anywhere.
  var shown: String { cut(to: 80).oneLine }

  /// The text in so many letters, the last a sign that there were more.
  func cut(to count: Int) -> String {
    guard unicodeScalars.count > count else { return self }
    let letters = prefix(count)
    let isWhole = letters.endIndex == endIndex
    return (isWhole ? letters : letters.dropLast()).map(Self.modest).joined() + (isWhole ? "" : "…")
  }

  private static func modest(_ letter: Character) -> String {
    String(String.UnicodeScalarView(letter.unicodeScalars.prefix(partsOfLetter)))
  }

  /// The text without line breaks.
  var oneLine: String {
    contains(where: \.isNewline) ? String(map { $0.isNewline ? " " : $0 }) : self
  }
}
