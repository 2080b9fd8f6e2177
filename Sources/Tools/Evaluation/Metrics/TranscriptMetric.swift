import TensorIOSystem

/// How well speech is recognized: edits of words and characters, summed over all recordings and divided at the end.
///
/// Case and punctuation count. The metrics that begin with `normalized` compare texts after a ``TranscriptNormalizer``, so that
/// both show whether a model mishears or writes differently.
package struct TranscriptMetric: Metric, MergeableMetric {
  /// The counts of a recording.
  package struct Counts: Sendable, Hashable {
    /// Words: edits by kind, and the words of the expected and of the found text.
    package var (substitutions, insertions, deletions) = (0, 0, 0)
    package var (words, foundWords) = (0, 0)
    /// The edits of words.
    package var edits: Int { substitutions + insertions + deletions }
    /// Edits of characters, and the characters of the expected text.
    package var (characterEdits, characters) = (0, 0)
    /// Edits of normalized words and characters, and those of the expected text.
    package var (normalizedEdits, normalizedWords) = (0, 0)
    package var (normalizedCharacterEdits, normalizedCharacters) = (0, 0)

    /// Creates counts of no texts.
    package init() {}

    /// Creates the counts of a text that a model has heard.
    package init(_ expected: String, _ found: String, _ normalizer: TranscriptNormalizer) {
      let (words, other) = (Self.words(expected), Self.words(found))
      let edits = EditDistance(from: words, to: other)
      (substitutions, insertions) = (edits.substitutions, edits.insertions)
      (deletions, self.words, foundWords) = (edits.deletions, words.count, other.count)
      (characterEdits, characters) = Self.edits(
        Array(expected.trimmed.unicodeScalars), Array(found.trimmed.unicodeScalars))
      let (normalized, otherNormalized) = (
        normalizer.words(of: expected), normalizer.words(of: found)
      )
      (normalizedEdits, self.normalizedWords) = Self.edits(normalized, otherNormalized)
      (normalizedCharacterEdits, normalizedCharacters) = Self.edits(
        Array(normalized.joined(separator: " ").unicodeScalars),
        Array(otherNormalized.joined(separator: " ").unicodeScalars))
    }

    private static func edits<Element: Hashable>(
      _ expected: [Element], _ found: [Element]
    ) -> (Int, Int) {
      (EditDistance(from: expected, to: found).count, expected.count)
    }

    private static func words(_ text: String) -> [Substring] {
      text.split(whereSeparator: \.isWhitespace)
    }

    /// Adds the counts of another recording a number of times.
    mutating func add(_ other: Counts, times count: Int = 1) {
      substitutions += count * other.substitutions
      insertions += count * other.insertions
      deletions += count * other.deletions
      words += count * other.words
      foundWords += count * other.foundWords
      characterEdits += count * other.characterEdits
      characters += count * other.characters
      normalizedEdits += count * other.normalizedEdits
      normalizedWords += count * other.normalizedWords
      normalizedCharacterEdits += count * other.normalizedCharacterEdits
      normalizedCharacters += count * other.normalizedCharacters
    }

    /// The counts in the order of a score.
    package var values: [Double] {
      [
        substitutions, insertions, deletions, words, foundWords, characterEdits, characters,
        normalizedEdits, normalizedWords, normalizedCharacterEdits, normalizedCharacters,
      ].map(Double.init)
    }

    /// Creates counts from a score; `nil` if it is malformed.
    package init?(_ values: [Double]) {
      let counts = values.compactMap { Int(exactly: $0) }
      guard counts.count == 11, values.count == 11, counts.allSatisfy({ $0 >= 0 }) else {
        return nil
      }
      (substitutions, insertions, deletions) = (counts[0], counts[1], counts[2])
      (words, foundWords) = (counts[3], counts[4])
      (characterEdits, characters) = (counts[5], counts[6])
      (normalizedEdits, normalizedWords) = (counts[7], counts[8])
      (normalizedCharacterEdits, normalizedCharacters) = (counts[9], counts[10])
    }
  }

  private var total = Counts()

  /// Creates a metric without recordings.
  package init() {}

  /// Adds the counts of a recording.
  package mutating func add(_ counts: Counts) { total.add(counts) }

  mutating func add(_ other: TranscriptMetric, times count: Int) {
    total.add(other.total, times: count)
  }

  /// The names of the metrics.
  static let names = ["wer", "cer", "mer", "wil", "normalized_wer", "normalized_cer"]

  /// The error rates of words and characters, the match error rate, and the word information lost.
  package var values: [MetricValue] {
    let edits = total.edits
    let hits = total.words - total.substitutions - total.deletions
    let preserved =
      Self.ratio(hits * hits, total.words * total.foundWords)
      ?? (total.words == total.foundWords ? 1 : 0)
    let rates: [Double?] = [
      Self.ratio(edits, total.words), Self.ratio(total.characterEdits, total.characters),
      Self.ratio(edits, hits + edits), total.words > 0 ? 1 - preserved : nil,
      Self.ratio(total.normalizedEdits, total.normalizedWords),
      Self.ratio(total.normalizedCharacterEdits, total.normalizedCharacters),
    ]
    return zip(Self.names, rates).compactMap { name, rate in
      rate.map { MetricValue(name, $0, unit: .fraction, direction: .lower) }
    }
  }

  private static func ratio(_ count: Int, _ total: Int) -> Double? {
    total > 0 ? Double(count) / Double(total) : nil
  }
}
