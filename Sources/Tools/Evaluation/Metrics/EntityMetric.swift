/// The metrics of labeled sections of texts: a section is correct if its location and its label are.
package struct EntityMetric: Metric, MergeableMetric {
  /// The numbers of sections of a label.
  package struct Counts: Sendable, Hashable {
    /// The number of predicted sections that are correct.
    package var correct = 0
    /// The number of predicted sections.
    package var predicted = 0
    /// The number of sections of the ground truth.
    package var actual = 0

    /// Creates counts.
    package init(correct: Int = 0, predicted: Int = 0, actual: Int = 0) {
      (self.correct, self.predicted, self.actual) = (correct, predicted, actual)
    }

    /// The fraction of predicted sections that are correct; 0 if there are none.
    package var precision: Double { ratio(correct, of: predicted) ?? 0 }
    /// The fraction of sections that are found; 0 if there are none.
    package var recall: Double { ratio(correct, of: actual) ?? 0 }
    /// The harmonic mean of precision and recall; 0 if both are 0.
    package var f1: Double { ratio(2 * correct, of: predicted + actual) ?? 0 }
  }

  /// The numbers by label.
  package private(set) var counts: [String: Counts] = [:]

  /// Creates a metric without sections.
  package init() {}

  /// Adds sections of a label.
  package mutating func add(_ added: Counts, of label: String) {
    add(added, of: label, times: 1)
  }

  private mutating func add(_ added: Counts, of label: String, times count: Int) {
    let sum = counts[label] ?? Counts()
    counts[label] = Counts(
      correct: sum.correct + count * added.correct,
      predicted: sum.predicted + count * added.predicted,
      actual: sum.actual + count * added.actual)
  }

  mutating func add(_ other: EntityMetric, times count: Int) {
    for (label, numbers) in other.counts { add(numbers, of: label, times: count) }
  }

  /// `precision`, `recall` and `f1` of all sections, and `macro_f1`, the mean over the labels.
  package var values: [MetricValue] {
    guard !counts.isEmpty else { return [] }
    let all = counts.values.reduce(Counts()) {
      Counts(
        correct: $0.correct + $1.correct, predicted: $0.predicted + $1.predicted,
        actual: $0.actual + $1.actual)
    }
    return [
      .fraction("precision", all.precision), .fraction("recall", all.recall),
      .fraction("f1", all.f1),
      .fraction("macro_f1", counts.sorted { $0.key < $1.key }.map(\.value.f1).mean),
    ].compactMap(\.self)
  }
}
