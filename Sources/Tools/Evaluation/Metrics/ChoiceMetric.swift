/// The fraction of questions whose right choice has the highest probability.
package struct ChoiceMetric: Metric {
  private var accuracy = RunningMean()
  private var normalized = RunningMean()

  /// Creates a metric without questions.
  package init() {}

  /// Returns the most probable choice, the first one among equals.
  package static func best(_ logProbabilities: [Double]) -> Int {
    logProbabilities.indices.max {
      (logProbabilities[$0], $1) < (logProbabilities[$1], $0)
    } ?? 0
  }

  /// Adds a question.
  ///
  /// - Parameters:
  ///   - logProbabilities: The logarithms of the probabilities of the choices.
  ///   - byteCounts: Their lengths.
  ///   - correct: The index of the right one.
  package mutating func add(_ logProbabilities: [Double], byteCounts: [Double], correct: Int) {
    accuracy.add(Self.best(logProbabilities) == correct ? 1 : 0)
    let rates = zip(logProbabilities, byteCounts).map { $0 / max($1, 1) }
    normalized.add(Self.best(rates) == correct ? 1 : 0)
  }

  /// `accuracy`, and `accuracy_norm`, for which logarithms are divided by lengths.
  package var values: [MetricValue] {
    [.fraction("accuracy", accuracy.value), .fraction("accuracy_norm", normalized.value)]
      .compactMap(\.self)
  }
}
