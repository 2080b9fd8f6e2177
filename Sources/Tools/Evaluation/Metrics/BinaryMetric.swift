public import TensorIOBundle
public import TensorIOTasks

/// Metrics of a binary classifier: ROC, precision-recall and equal error rate.
///
/// The curves have a point for every score, so all scores are stored: nine bytes per example.
///
/// ```swift
/// import TensorIOEvaluation
///
/// var metric = BinaryMetric()
/// metric.add(0.9, isPositive: true)
/// metric.add(0.2, isPositive: false)
/// print(metric.values)  // roc_auc, eer, average_precision, best_threshold
/// ```
public struct BinaryMetric: Metric {
  private var scores: [Double] = []
  private var arePositive: [Bool] = []

  /// Creates a metric without examples.
  public init() {}

  /// Adds an example; a NaN score ranks below all others.
  public mutating func add(_ score: Double, isPositive: Bool) {
    scores.append(score.isNaN ? -.infinity : score)
    arePositive.append(isPositive)
  }

  /// The number of examples.
  public var count: Int { scores.count }

  /// The metrics of the examples, for slices and intervals.
  var itemMetric: CurveItems { CurveItems(scores: scores, arePositive: arePositive) }

  /// The numbers of positive and negative examples at or above each score, from the highest score
  /// down; equal scores form one step.
  var steps: [ThresholdStep] {
    zip(scores, arePositive).map { (score: $0, isRight: $1) }.thresholdSteps
  }

  /// F1, precision and recall at each threshold.
  var sweep: ThresholdSweep { ThresholdSweep(steps, positives: arePositive.count { $0 }) }

  /// Returns the ROC curve; `nil` unless there are positive and negative examples.
  ///
  /// - Parameter droppingIntermediate: Whether to drop collinear points.
  /// - Returns: The curve, or `nil`.
  public func rocCurve(droppingIntermediate: Bool = true) -> ROCCurve? {
    let steps = steps
    guard let last = steps.last, last.truePositives > 0, last.falsePositives > 0 else { return nil }
    return ROCCurve(droppingIntermediate ? steps.withoutCollinearPoints : steps)
  }

  /// Returns the precision-recall curve; `nil` without positive examples.
  ///
  /// - Parameter droppingIntermediate: Whether to keep only the first and last points of each
  ///   recall.
  /// - Returns: The curve, or `nil`.
  public func precisionRecallCurve(
    droppingIntermediate: Bool = false
  ) -> PrecisionRecallCurve? {
    let steps = steps
    guard let last = steps.last, last.truePositives > 0 else { return nil }
    return PrecisionRecallCurve(droppingIntermediate ? steps.withoutEqualRecallPoints : steps)
  }

  /// `roc_auc`, `eer`, `average_precision` and `best_threshold`.
  public var values: [MetricValue] {
    let roc = rocCurve(droppingIntermediate: false)
    return [
      .fraction("roc_auc", roc?.area), .error("eer", roc?.equalErrorRate.rate, unit: .fraction),
      .fraction("average_precision", precisionRecallCurve()?.averagePrecision),
      roc.map { MetricValue("best_threshold", $0.youdenPoint.threshold) },
    ].compactMap(\.self)
  }
}

/// The numbers of examples at or above a threshold.
struct ThresholdStep {
  var threshold: Double
  var truePositives: Int
  var falsePositives: Int

  var count: Int { truePositives + falsePositives }
}

extension [ThresholdStep] {
  /// The steps without those on a straight line between their neighbors.
  fileprivate var withoutCollinearPoints: [ThresholdStep] {
    withoutIntermediates { before, step, after in
      before.truePositives + after.truePositives == 2 * step.truePositives
        && before.falsePositives + after.falsePositives == 2 * step.falsePositives
    }
  }

  /// The first and last step of each recall.
  fileprivate var withoutEqualRecallPoints: [ThresholdStep] {
    withoutIntermediates { before, step, after in
      before.truePositives == step.truePositives && step.truePositives == after.truePositives
    }
  }

  private func withoutIntermediates(
    where isIntermediate: (ThresholdStep, ThresholdStep, ThresholdStep) -> Bool
  ) -> [ThresholdStep] {
    indices.filter { index in
      index == 0 || index == count - 1
        || !isIntermediate(self[index - 1], self[index], self[index + 1])
    }.map { self[$0] }
  }
}

/// Verification metrics of embeddings: whether pairs of the same identity are closer than others.
///
/// The score of a pair is its negated distance. `best_threshold` is a distance, as the `threshold` of
/// a bundle.
public struct VerificationMetric: Metric {
  /// The distance metric.
  public let distanceMetric: DistanceMetric
  /// The scores of the pairs; pairs of the same identity are positive.
  public private(set) var pairScores = BinaryMetric()

  /// Creates a metric without pairs.
  public init(by distanceMetric: DistanceMetric = .euclidean) {
    self.distanceMetric = distanceMetric
  }

  /// Adds a pair of embeddings.
  public mutating func add(
    _ first: Embedding, _ second: Embedding, isSameIdentity: Bool
  ) throws(ModelError) {
    add(
      distance: try first.distance(to: second, by: distanceMetric), isSameIdentity: isSameIdentity)
  }

  /// Adds a pair by its distance.
  public mutating func add(distance: Double, isSameIdentity: Bool) {
    pairScores.add(-distance, isPositive: isSameIdentity)
  }

  /// `roc_auc`, `eer`, `average_precision` and `best_threshold`, the maximum distance of a match.
  public var values: [MetricValue] {
    pairScores.values.map { metric in
      guard metric.name == "best_threshold", let score = metric.value else { return metric }
      return MetricValue(metric.name, -score)
    }
  }
}
