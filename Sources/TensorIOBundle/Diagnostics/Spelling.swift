/// Finds what somebody meant who wrote something else.
package enum Spelling {
  /// Longer words are not compared: nobody mistypes so much.
  private static let maxWordLength = 64

  /// The candidate most like a word, or `nil` when none is like it.
  package static func closestMatch(
    to word: String, among candidates: some Sequence<String>
  ) -> String? {
    let word = word.lowercased()
    guard word.utf8.count <= maxWordLength else { return nil }
    let allowed = max(1, word.count / 3)
    return
      candidates
      .map { (word: $0, distance: editDistance(from: word, to: $0.lowercased())) }
      .filter { $0.distance <= allowed }
      .min { $0.distance < $1.distance }?.word
  }

  /// How many letters must be added, dropped, changed, or swapped with their neighbour.
  private static func editDistance(from first: String, to second: String) -> Int {
    let first = Array(first)
    let second = Array(second)
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
