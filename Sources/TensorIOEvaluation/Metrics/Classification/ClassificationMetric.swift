public import TensorIOCore

/// Judges scores by the class that should have the highest.
///
///     var metric = ClassificationMetric()
///     try metric.add([0.1, 0.7, 0.2], truth: 1)
///     metric.figures  // top1, precision, recall, f1, balanced_accuracy, loss, brier, ece
public struct ClassificationMetric: Metric {
  /// How often the right class is among the first.
  public private(set) var top: TopHits
  /// What was taken for what.
  public private(set) var confusion = ConfusionMatrix()
  /// What there is to say of scores that are probabilities.
  public private(set) var probabilities: ProbabilityMetric
  /// How many classes every example has scores for; `nil` before the first.
  public private(set) var classCount: Int?

  /// A judge without examples.
  public init(top depths: [Int] = [1, 5], bins: Int = 15) {
    top = TopHits(depths)
    probabilities = ProbabilityMetric(bins: bins)
  }

  /// Takes the scores of all classes into account; an example that does not fit leaves no trace.
  public mutating func add(_ scores: [Float], truth: Int) throws(ModelError) {
    let expected = classCount ?? scores.count
    guard scores.count == expected else {
      throw ModelError(.output, .wrongCount(expected: expected, actual: scores.count))
    }
    guard scores.indices.contains(truth),
      let best = Classification(labels: [], scores: scores).bestIndex
    else { throw ModelError(.input, .labelOutOfRange(value: truth, count: expected)) }
    classCount = expected
    top.add(scores, truth: truth)
    confusion.add(best, truth: truth)
    probabilities.add(scores, truth: truth)
  }

  /// `top1`, `top5` (those that say something for so many classes), `precision`, `recall` and `f1`
  /// (macro averages), `balanced_accuracy`, and of probabilities `loss`, `brier` and `ece`.
  public var figures: [Figure] {
    guard let classCount else { return [] }
    // That one of five classes is right says nothing where there are no more.
    let telling = top.depths.filter { $0 < classCount }
    let scores = confusion.average(.macro)
    return telling.compactMap { .share("top\($0)", top.accuracy($0)) }
      + [
        .share("precision", scores.precision), .share("recall", scores.recall),
        .share("f1", scores.f1), .share("balanced_accuracy", confusion.balancedAccuracy),
      ].compactMap(\.self) + probabilities.figures
  }
}
