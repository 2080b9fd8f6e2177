/// ROUGE-L: the longest common subsequence of the words of a text and of an expected one.
package struct RougeMetric: Metric {
  private var mean = RunningMean()

  /// Creates a metric without texts.
  package init() {}

  /// Returns the highest F1 score of a text for several expected ones.
  ///
  /// Words are runs of the letters a to z and of digits, in lower case.
  package static func score(_ text: String, expected: [String]) -> Double {
    let found = words(of: text)
    return expected.map { overlap(found, words(of: $0)) }.max() ?? 0
  }

  /// Adds the score of a text.
  package mutating func add(_ score: Double) { mean.add(score) }

  /// `rouge_l`.
  package var values: [MetricValue] { [.fraction("rouge_l", mean.value)].compactMap(\.self) }

  private static func words(of text: String) -> [String] {
    // Letters with accents, which can be a letter and a mark, are no letters here.
    text.lowercased().unicodeScalars.split { !("a"..."z" ~= $0 || "0"..."9" ~= $0) }
      .map { String($0) }
  }

  private static func overlap(_ found: [String], _ expected: [String]) -> Double {
    // The lengths for the beginnings of the expected words, and the words found so far.
    var lengths = [Int](repeating: 0, count: expected.count + 1)
    for word in found {
      var diagonal = 0
      for (index, other) in expected.enumerated() {
        let above = lengths[index + 1]
        lengths[index + 1] = word == other ? diagonal + 1 : max(above, lengths[index])
        diagonal = above
      }
    }
    guard let common = lengths.last, common > 0 else { return 0 }
    let (precision, recall) = (
      Double(common) / Double(found.count), Double(common) / Double(expected.count)
    )
    return 2 * precision * recall / (precision + recall)
  }
}
