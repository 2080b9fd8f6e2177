extension String {
  /// The width in columns of a terminal or a font with fixed widths.
  package var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

  /// Returns the text with its middle replaced by an ellipsis if it exceeds a display width.
  package func truncatedMiddle(toDisplayWidth width: Int) -> String {
    guard displayWidth > width else { return self }
    let half = (width - 1) / 2
    let end = String(String(reversed()).prefix(toDisplayWidth: half).reversed())
    return prefix(toDisplayWidth: width - 1 - half) + "…" + end
  }

  private func prefix(toDisplayWidth width: Int) -> String {
    var (prefix, used) = ("", 0)
    for character in self {
      used += character.displayWidth
      if used > width { break }
      prefix.append(character)
    }
    return prefix
  }
}

extension Character {
  /// Two columns for emoji and most East Asian scripts, otherwise one.
  fileprivate var displayWidth: Int {
    guard let first = unicodeScalars.first?.value else { return 1 }
    let isWide =
      (0x1100...0x115F).contains(first) || (0x2E80...0xFFDC).contains(first) || first >= 0x1F000
    return isWide ? 2 : 1
  }
}
