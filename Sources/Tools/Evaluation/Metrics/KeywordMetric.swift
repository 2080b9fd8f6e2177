package import TensorIOTasks

/// How well words are spotted in recordings: recall, precision, and how often a word is heard that was not spoken.
///
/// A recording is expected to have each word as often as its text does; times do not count. Case and punctuation are ignored.
package struct KeywordMetric: Metric, MergeableMetric {
  /// The counts of recordings at a threshold.
  package struct Counts: Sendable, Hashable {
    /// The words that were spoken and heard.
    package var hits = 0
    /// The words that were spoken and not heard.
    package var misses = 0
    /// The words that were heard and not spoken.
    package var falseAccepts = 0

    /// The fraction of words that were heard; `nil` if none was spoken.
    package var recall: Double? { ratio(hits, of: hits + misses) }
    /// The fraction of heard words that were spoken; `nil` if none was heard.
    package var precision: Double? { ratio(hits, of: hits + falseAccepts) }

    mutating func add(_ other: Counts, times count: Int) {
      hits += count * other.hits
      misses += count * other.misses
      falseAccepts += count * other.falseAccepts
    }
  }

  /// The thresholds of the curve.
  package static let thresholds = (1..<100).map { Double($0) / 100 }
  private static let countsPerThreshold = 3
  private static let secondsPerHour = 3600.0

  /// The length of the recordings, in seconds.
  private var seconds = 0.0
  /// The counts at the bundle's threshold, and at those of the curve.
  private var counts = [Counts](repeating: Counts(), count: 1 + Self.thresholds.count)

  /// Creates a metric without recordings.
  package init() {}

  /// Creates the metric of a recording.
  ///
  /// - Parameters:
  ///   - text: What was spoken.
  ///   - keywords: The scores of the recording.
  ///   - options: The options of the bundle.
  package init(_ text: String, _ keywords: Keywords, _ options: KeywordOptions) {
    let spoken = Self.words(text)
    let labels = Set(keywords.words.map(\.label))
    let expected = Dictionary(
      labels.map { ($0, Self.count(of: Self.words($0), in: spoken)) }, uniquingKeysWith: max)
    seconds = keywords.duration
    counts = ([options.threshold] + Self.thresholds).map { threshold in
      var options = options
      options.threshold = threshold
      var found: [String: Int] = [:]
      for word in keywords.spotted(options) { found[word.label, default: 0] += 1 }
      var counts = Counts()
      for (label, expected) in expected {
        let found = found[label] ?? 0
        counts.hits += min(found, expected)
        counts.misses += max(0, expected - found)
        counts.falseAccepts += max(0, found - expected)
      }
      return counts
    }
  }

  /// Returns the words of a text in lower case, without punctuation.
  private static func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
  }

  /// Returns how often words follow each other in a text.
  private static func count(of words: [String], in text: [String]) -> Int {
    guard !words.isEmpty else { return 0 }
    var (count, position) = (0, 0)
    while position + words.count <= text.count {
      let isFound = text[position..<position + words.count].elementsEqual(words)
      count += isFound ? 1 : 0
      position += isFound ? words.count : 1
    }
    return count
  }

  /// The counts in the order of a score.
  package var scoreValues: [Double] {
    [seconds] + counts.flatMap { [$0.hits, $0.misses, $0.falseAccepts].map(Double.init) }
  }

  /// Creates a metric from a score; `nil` if it is malformed.
  package init?(_ values: [Double]) {
    let numbers = values.dropFirst().compactMap { Int(exactly: $0) }
    guard numbers.count == counts.count * Self.countsPerThreshold,
      values.count == numbers.count + 1, let seconds = values.first, seconds.isFinite,
      seconds >= 0, numbers.allSatisfy({ $0 >= 0 })
    else { return nil }
    self.seconds = seconds
    counts = stride(from: 0, to: numbers.count, by: Self.countsPerThreshold).map {
      Counts(hits: numbers[$0], misses: numbers[$0 + 1], falseAccepts: numbers[$0 + 2])
    }
  }

  package mutating func add(_ other: KeywordMetric, times count: Int) {
    seconds += Double(count) * other.seconds
    for index in counts.indices { counts[index].add(other.counts[index], times: count) }
  }

  /// The counts at the threshold of the bundle.
  package var atThreshold: Counts { counts[0] }

  /// The names of the metrics.
  static let names = ["recall", "precision", "false_accepts_per_hour"]

  /// The metrics at the threshold of the bundle.
  package var values: [MetricValue] {
    [
      .fraction(Self.names[0], atThreshold.recall),
      .fraction(Self.names[1], atThreshold.precision),
      .error(Self.names[2], falseAcceptsPerHour(atThreshold)),
    ].compactMap(\.self)
  }

  private func falseAcceptsPerHour(_ counts: Counts) -> Double? {
    seconds > 0 ? Double(counts.falseAccepts) * Self.secondsPerHour / seconds : nil
  }

  /// Recall over false accepts per hour, and recall and precision over the threshold.
  package var curves: [ResultCurve] {
    let steps = Array(zip(Self.thresholds, counts.dropFirst()))
    let tradeoff = steps.reversed().compactMap { threshold, counts in
      falseAcceptsPerHour(counts).flatMap { rate in
        counts.recall.map { ResultCurve.Point(rate, $0, threshold: threshold) }
      }
    }
    func curve(_ kind: ResultCurve.Kind, _ value: (Counts) -> Double?) -> ResultCurve {
      ResultCurve(
        kind, label: "", area: nil,
        points: steps.compactMap { threshold, counts in
          value(counts).map { ResultCurve.Point(threshold, $0, threshold: threshold) }
        })
    }
    let curves = [
      ResultCurve(.falseAccepts, label: "", area: nil, points: tradeoff),
      curve(.recall, \.recall), curve(.precision, \.precision),
    ]
    return curves.filter { !$0.points.isEmpty }
  }
}
