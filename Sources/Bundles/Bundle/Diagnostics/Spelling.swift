/// Suggests corrections for misspelled words.
///
/// Words and candidates may come from untrusted files, so the work for one suggestion is bounded.
package enum Spelling {
  /// Returns a suggestion to append to a message if the word resembles a known one; else nothing.
  package static func suggestion(
    for word: String, among known: [String], prefix: String = ""
  ) -> String {
    guard let nearest = closestMatch(to: word, among: known) else { return "" }
    return "; did you mean '\(prefix)\(nearest)'?"
  }

  /// The maximum length of a word in bytes.
  ///
  /// Longer words have no suggestion.
  private static let maxWordLength = 64
  /// The maximum number of candidates whose edit distance is computed for one word.
  private static let maxComparisons = 1000

  /// Returns the candidate closest to a word, or `nil` if none is close.
  ///
  /// A candidate is close if its edit distance is at most a third of the word's length.
  package static func closestMatch(
    to word: String, among candidates: some Sequence<String>
  ) -> String? {
    let word = word.lowercased()
    guard word.utf8.count <= maxWordLength else { return nil }
    let letters = Array(word.unicodeScalars)
    let allowed = max(1, letters.count / 3)
    var closest: (word: String, distance: Int)?
    var comparisons = 0
    for candidate in candidates where comparisons < maxComparisons {
      // The prefix suffices to rule out a candidate that is too long.
      let prefix = String(candidate.unicodeScalars.prefix(letters.count + allowed + 1))
      let others = Array(prefix.lowercased().unicodeScalars)
      guard abs(others.count - letters.count) <= allowed else { continue }
      comparisons += 1
      let distance = editDistance(from: letters, to: others)
      guard distance <= allowed, distance < closest?.distance ?? .max else { continue }
      closest = (candidate, distance)
    }
    return closest?.word
  }

  /// Returns the number of insertions, deletions, substitutions and swaps of adjacent letters that
  /// turn one word into the other.
  private static func editDistance(
    from first: [Unicode.Scalar], to second: [Unicode.Scalar]
  ) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        let changed = last[column] + (letter == other ? 0 : 1)
        var best = min(changed, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
