public import TensorIOBundle
import TensorIOCore

/// Metrics of a classifier.
///
/// ```swift
/// import TensorIOEvaluation
///
/// var metric = ClassificationMetric()
/// try metric.add([0.1, 0.7, 0.2], groundTruth: 1)
/// print(metric.values)  // top1, precision, recall, f1, log_loss, brier_score, ece, …
/// ```
public struct ClassificationMetric: Metric {
  /// The top-*k* accuracies.
  public private(set) var topK: TopKAccuracy
  /// The confusion matrix.
  public private(set) var confusion = ConfusionMatrix()
  /// The metrics of scores that are probabilities.
  public private(set) var probabilities: ProbabilityMetric
  /// The number of classes; `nil` before the first example.
  public private(set) var classCount: Int?

  /// Creates a metric without examples.
  ///
  /// - Parameters:
  ///   - ks: The values of *k* for the top-*k* accuracies.
  ///   - binCount: The number of calibration bins.
  public init(topK ks: [Int] = [1, 5], binCount: Int = 15) {
    topK = TopKAccuracy(ks)
    probabilities = ProbabilityMetric(binCount: binCount)
  }

  /// Adds an example.
  ///
  /// - Parameters:
  ///   - scores: The scores of all classes.
  ///   - groundTruth: The index of the correct class.
  /// - Throws: `ModelError` if the number of scores differs from earlier examples or the index is
  ///   out of range. The metric is then unchanged.
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

  /// `top1` and `top5` if there are more classes than that, `precision`, `recall` and `f1` (macro
  /// averages), `balanced_accuracy`, and for probabilities `log_loss`, `brier_score` and `ece`.
  public var values: [MetricValue] {
    guard let classCount else { return [] }
    // Top-5 accuracy is always 1 with up to five classes.
    let ks = topK.ks.filter { $0 < classCount }
    let scores = confusion.average(.macro)
    return ks.compactMap { .fraction("top\($0)", topK.accuracy(k: $0)) }
      + [
        .fraction("precision", scores.precision), .fraction("recall", scores.recall),
        .fraction("f1", scores.f1), .fraction("balanced_accuracy", confusion.balancedAccuracy),
      ].compactMap(\.self) + probabilities.values
  }
}

/// Top-*k* accuracy: the fraction of examples whose correct class is among the *k* highest scores.
///
/// Equal scores rank in the order of the model's output, as in `Classification.top`.
public struct TopKAccuracy: Sendable, Hashable {
  /// The values of *k*.
  public let ks: [Int]
  /// The number of examples.
  public private(set) var count = 0
  private var hits: [Int]

  /// Creates a metric without examples.
  public init(_ ks: [Int] = [1, 5]) {
    self.ks = ks
    hits = ks.map { _ in 0 }
  }

  /// Adds an example.
  ///
  /// - Precondition: `groundTruth` is the index of a score.
  public mutating func add(_ scores: [Float], groundTruth: Int) {
    let rank = Classification(labels: [], scores: scores).rank(of: groundTruth)
    count += 1
    for index in ks.indices where rank < ks[index] { hits[index] += 1 }
  }

  /// Returns the accuracy for one of ``ks``; `nil` without examples or for another *k*.
  public func accuracy(k: Int) -> Double? {
    ks.firstIndex(of: k).flatMap { ratio(hits[$0], of: count) }
  }
}
