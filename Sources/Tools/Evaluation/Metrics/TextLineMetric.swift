import TensorIOTasks

#if Everything
  import TensorIOText
#endif

/// How well the lines of text in images are found and read: counts over all images, which are divided at the end.
package struct TextLineMetric: Metric, MergeableMetric {
  /// The counts of an image.
  package struct Counts: Sendable, Hashable {
    /// The number of lines of the ground truth, of predictions, and of pairs of both.
    package var (truth, predicted, matched) = (0, 0, 0)
    /// The number of pairs with the same text.
    package var exact = 0
    /// The number of edits of pairs, and of the characters of their ground truth.
    package var (matchedEdits, matchedCharacters) = (0, 0)
    /// The number of characters of lines that were missed, and of predictions that are no lines.
    package var (missedCharacters, extraCharacters) = (0, 0)

    /// Creates counts of no lines.
    package init() {}
  }

  /// The minimum intersection over union of a pair.
  static let minIoU = 0.5

  private var total = Counts()
  /// Whether lines have outlines, and whether they have texts.
  private let (hasOutlines, hasTexts): (Bool, Bool)

  /// Creates a metric without images.
  package init(hasOutlines: Bool, hasTexts: Bool) {
    (self.hasOutlines, self.hasTexts) = (hasOutlines, hasTexts)
  }

  /// Adds the counts of an image.
  package mutating func add(_ counts: Counts) { add(counts, times: 1) }

  private mutating func add(_ counts: Counts, times count: Int) {
    total.truth += count * counts.truth
    total.predicted += count * counts.predicted
    total.matched += count * counts.matched
    total.exact += count * counts.exact
    total.matchedEdits += count * counts.matchedEdits
    total.matchedCharacters += count * counts.matchedCharacters
    total.missedCharacters += count * counts.missedCharacters
    total.extraCharacters += count * counts.extraCharacters
  }

  mutating func add(_ other: TextLineMetric, times count: Int) { add(other.total, times: count) }

  /// The names of the metrics.
  static func names(hasOutlines: Bool, hasTexts: Bool) -> [String] {
    (hasOutlines ? ["precision", "recall", "f1"] : [])
      + (hasTexts ? ["cer"] + (hasOutlines ? ["cer_matched"] : []) + ["exact_match"] : [])
  }

  /// `precision`, `recall` and `f1` of the outlines, and `cer`, `cer_matched` and `exact_match` of the texts.
  package var values: [MetricValue] {
    var values: [MetricValue?] = []
    if hasOutlines {
      let precision = Self.ratio(total.matched, total.predicted)
      let recall = Self.ratio(total.matched, total.truth)
      let sum = (precision ?? 0) + (recall ?? 0)
      values += [
        .fraction("precision", precision), .fraction("recall", recall),
        .fraction(
          "f1",
          total.truth + total.predicted == 0
            ? nil : sum > 0 ? 2 * (precision ?? 0) * (recall ?? 0) / sum : 0),
      ]
    }
    if hasTexts {
      let edits = total.matchedEdits + total.missedCharacters + total.extraCharacters
      values.append(
        Self.errorRate("cer", edits, total.matchedCharacters + total.missedCharacters))
      if hasOutlines {
        values.append(Self.errorRate("cer_matched", total.matchedEdits, total.matchedCharacters))
      }
      values.append(.fraction("exact_match", Self.ratio(total.exact, total.truth)))
    }
    return values.compactMap(\.self)
  }

  private static func ratio(_ count: Int, _ total: Int) -> Double? {
    total > 0 ? Double(count) / Double(total) : nil
  }

  private static func errorRate(_ name: String, _ edits: Int, _ characters: Int) -> MetricValue? {
    ratio(edits, characters).map {
      MetricValue(name, $0, unit: .fraction, direction: .lower)
    }
  }

  /// Returns the characters of a text as they are compared: alike ones are the same, and spaces are single.
  static func characters(_ text: String) -> [Unicode.Scalar] {
    #if Everything
      let text = text.normalizedCompatibly
    #endif
    let words = text.unicodeScalars.split { $0.properties.isWhitespace }
    return Array(words.joined(separator: " ".unicodeScalars))
  }
}

extension TextLineMetric.Counts {
  /// Adds the text of a pair.
  mutating func addPair(_ expected: String, _ found: String) {
    let (expected, found) = (
      TextLineMetric.characters(expected), TextLineMetric.characters(found)
    )
    matched += 1
    matchedCharacters += expected.count
    matchedEdits += EditDistance(from: expected, to: found).count
    exact += expected == found ? 1 : 0
  }
}
