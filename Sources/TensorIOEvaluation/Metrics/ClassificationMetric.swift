public import TensorIOBundle
import TensorIOCore

/// Judges scores by the class that should have the highest.
///
///     var metric = ClassificationMetric()
///     try metric.add([0.1, 0.7, 0.2], truth: 1)
///     metric.figures  // top1, precision, recall, f1, balanced_accuracy, loss, brier, ece
public struct ClassificationMetric: Metric {
  /// How often the right class is among the first.
  public private(set) var topK: TopKAccuracy
  /// What was taken for what.
  public private(set) var confusion = ConfusionMatrix()
  /// What there is to say of scores that are probabilities.
  public private(set) var probabilities: ProbabilityMetric
  /// How many classes every example has scores for; `nil` before the first.
  public private(set) var classCount: Int?

  /// A judge without examples.
  public init(topK depths: [Int] = [1, 5], binCount: Int = 15) {
    topK = TopKAccuracy(depths)
    probabilities = ProbabilityMetric(binCount: binCount)
  }

  /// Takes the scores of all classes into account; an example that does not fit leaves no trace.
  public mutating func add(_ scores: [Float], groundTruth: Int) throws(ModelError) {
    let expected = classCount ?? scores.count
    guard scores.count == expected else {
      throw ModelError(.output, .wrongCount(expected: expected, actual: scores.count))
    }
    guard scores.indices.contains(groundTruth),
      let best = Classification(labels: [], scores: scores).bestIndex
    else { throw ModelError(.input, .labelOutOfRange(value: groundTruth, count: expected)) }
    classCount = expected
    topK.add(scores, groundTruth: groundTruth)
    confusion.add(best, actual: groundTruth)
    probabilities.add(scores, groundTruth: groundTruth)
  }

  /// `top1`, `top5` (those that say something for so many classes), `precision`, `recall` and `f1`
  /// (macro averages), `balanced_accuracy`, and of probabilities `loss`, `brier` and `ece`.
  public var values: [MetricValue] {
    guard let classCount else { return [] }
    // That one of five classes is right says nothing where there are no more.
    let telling = topK.ks.filter { $0 < classCount }
    let scores = confusion.average(.macro)
    return telling.compactMap { .fraction("top\($0)", topK.accuracy(k: $0)) }
      + [
        .fraction("precision", scores.precision), .fraction("recall", scores.recall),
        .fraction("f1", scores.f1), .fraction("balanced_accuracy", confusion.balancedAccuracy),
      ].compactMap(\.self) + probabilities.values
  }
}

/// How often the right class is among the first so-and-so-many.
///
/// Equal scores rank in the order of the model's output, as `Classification.top` has them.
public struct TopKAccuracy: Sendable, Hashable {
  /// Among how many of the first the right class counts as found.
  public let ks: [Int]
  /// How many examples there were.
  public private(set) var count = 0
  private var hits: [Int]

  /// A judge without examples.
  public init(_ depths: [Int] = [1, 5]) {
    self.ks = depths
    hits = depths.map { _ in 0 }
  }

  /// Takes the scores of all classes into account.
  ///
  /// - Precondition: `truth` is the index of a score.
  public mutating func add(_ scores: [Float], groundTruth: Int) {
    let rank = Classification(labels: [], scores: scores).rank(of: groundTruth)
    count += 1
    for index in ks.indices where rank < ks[index] { hits[index] += 1 }
  }

  /// The share of the examples whose class is among the first; `nil` without examples, or for a
  /// depth that is not counted.
  public func accuracy(k depth: Int) -> Double? {
    ks.firstIndex(of: depth).flatMap { ratio(hits[$0], of: count) }
  }
}
