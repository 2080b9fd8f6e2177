/// The fewest edits that turn the elements of a text into those of another, for error rates of words and characters.
///
/// Divide ``count``, summed over all texts, by the number of expected elements: long texts then count more than short ones.
package struct EditDistance: Sendable, Hashable {
  /// The number of expected elements that were replaced.
  package private(set) var substitutions = 0
  /// The number of elements that were not expected.
  package private(set) var insertions = 0
  /// The number of expected elements that are missing.
  package private(set) var deletions = 0

  /// The number of edits.
  package var count: Int { substitutions + insertions + deletions }

  /// Computes the edits in time proportional to the product of the lengths.
  ///
  /// Of several ways with the same number of edits, one with the fewest substitutions is chosen, which keeps the most elements.
  ///
  /// - Parameters:
  ///   - expected: The elements of the expected text, such as its words.
  ///   - actual: The elements of the text that a model returned.
  package init<Element: Hashable>(from expected: [Element], to actual: [Element]) {
    let shared = zip(expected, actual).prefix { $0 == $1 }.count
    let (expected, actual) = (expected.dropFirst(shared), actual.dropFirst(shared))
    // The edits for all beginnings of the actual text and one beginning of the expected one.
    var row = (0...actual.count).map { Self(insertions: $0) }
    for element in expected {
      var diagonal = row[0]
      row[0].deletions += 1
      for (index, other) in actual.enumerated() {
        var best = diagonal
        if element != other { best.substitutions += 1 }
        if (row[index].count + 1, row[index].substitutions) < (best.count, best.substitutions) {
          best = row[index]
          best.insertions += 1
        }
        diagonal = row[index + 1]
        if (diagonal.count + 1, diagonal.substitutions) < (best.count, best.substitutions) {
          best = diagonal
          best.deletions += 1
        }
        row[index + 1] = best
      }
    }
    self = row[actual.count]
  }

  private init(insertions: Int) { self.insertions = insertions }
}
