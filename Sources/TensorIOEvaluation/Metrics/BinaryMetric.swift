public import TensorIOBundle
public import TensorIOTasks

/// Judges scores that should be high for one kind of thing and low for all others.
///
/// Its curves go through every score, so it keeps all of them: nine bytes an example.
///
///     var metric = BinaryMetric()
///     metric.add(0.9, isPositive: true)
///     metric.add(0.2, isPositive: false)
///     metric.figures  // roc_auc, eer, average_precision, best_threshold
public struct BinaryMetric: Metric {
  private var scores: [Double] = []
  private var arePositive: [Bool] = []

  /// A judge without examples.
  public init() {}

  /// Takes a score into account; one that is not a number is below all others.
  public mutating func add(_ score: Double, isPositive: Bool) {
    scores.append(score.isNaN ? -.infinity : score)
    arePositive.append(isPositive)
  }

  /// How many examples there were.
  public var count: Int { scores.count }

  /// How many examples at or above each score are positive and how many are not, from the highest
  /// score down; equal scores are one step.
  var steps: [ThresholdStep] {
    var step = ThresholdStep(threshold: .infinity, truePositives: 0, falsePositives: 0)
    var steps: [ThresholdStep] = []
    for index in scores.indices.sorted(by: { scores[$0] > scores[$1] }) {
      if scores[index] != step.threshold, step.count > 0 { steps.append(step) }
      step.threshold = scores[index]
      if arePositive[index] { step.truePositives += 1 } else { step.falsePositives += 1 }
    }
    return step.count > 0 ? steps + [step] : []
  }

  /// The rates at every threshold; `nil` unless there are both kinds of examples.
  ///
  /// Without intermediate points, those in the middle of a straight line are left out.
  public func rocCurve(droppingIntermediate isShort: Bool = true) -> ROCCurve? {
    let steps = steps
    guard let last = steps.last, last.truePositives > 0, last.falsePositives > 0 else { return nil }
    return ROCCurve(isShort ? steps.withoutCollinearPoints : steps)
  }

  /// Precision and recall at every threshold; `nil` without positive examples.
  ///
  /// Without intermediate points, those in the middle of a line of equal recall are left out.
  public func precisionRecallCurve(
    droppingIntermediate isShort: Bool = false
  ) -> PrecisionRecallCurve? {
    let steps = steps
    guard let last = steps.last, last.truePositives > 0 else { return nil }
    return PrecisionRecallCurve(isShort ? steps.withoutEqualRecallPoints : steps)
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

/// What is at or above a threshold.
struct ThresholdStep {
  var threshold: Double
  var truePositives: Int
  var falsePositives: Int

  var count: Int { truePositives + falsePositives }
}

extension [ThresholdStep] {
  /// The steps where the way bends, and both ends.
  fileprivate var withoutCollinearPoints: [ThresholdStep] {
    withoutIntermediates { before, step, after in
      before.truePositives + after.truePositives == 2 * step.truePositives
        && before.falsePositives + after.falsePositives == 2 * step.falsePositives
    }
  }

  /// The first and last steps of each recall.
  fileprivate var withoutEqualRecallPoints: [ThresholdStep] {
    withoutIntermediates { before, step, after in
      before.truePositives == step.truePositives && step.truePositives == after.truePositives
    }
  }

  private func withoutIntermediates(
    where isMiddle: (ThresholdStep, ThresholdStep, ThresholdStep) -> Bool
  ) -> [ThresholdStep] {
    indices.filter { index in
      index == 0 || index == count - 1
        || !isMiddle(self[index - 1], self[index], self[index + 1])
    }.map { self[$0] }
  }
}

/// Judges embeddings by whether those of the same thing are nearer than those of two.
///
/// A pair's score is its distance with the sign turned, so that a threshold of −0.8 lets in what is
/// no farther apart than 0.8.
public struct VerificationMetric: Metric {
  /// How distance is measured.
  public let distanceMetric: DistanceMetric
  /// The pairs' scores, and which of them are of one thing.
  public private(set) var pairScores = BinaryMetric()

  /// A judge without pairs.
  public init(by distance: DistanceMetric = .euclidean) {
    self.distanceMetric = distance
  }

  /// Takes a pair into account.
  public mutating func add(
    _ first: Embedding, _ second: Embedding, isSameIdentity: Bool
  ) throws(ModelError) {
    add(distance: try first.distance(to: second, by: distanceMetric), isSameIdentity: isSameIdentity)
  }

  /// Takes a pair into account whose distance is known.
  public mutating func add(distance: Double, isSameIdentity: Bool) {
    pairScores.add(-distance, isPositive: isSameIdentity)
  }

  /// `roc_auc`, `eer`, `average_precision` and `best_threshold`.
  public var values: [MetricValue] { pairScores.values }
}
