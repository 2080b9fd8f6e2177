/// A receiver operating characteristic: true positive rate over false positive rate.
public struct ROCCurve: Sendable, Hashable {
  /// The rates when all scores from a threshold on are accepted.
  public struct Point: Sendable, Hashable {
    /// The lowest accepted score; infinite at the first point.
    public let threshold: Double
    /// The fraction of negative examples that are accepted.
    public let falsePositiveRate: Double
    /// The fraction of positive examples that are accepted.
    public let truePositiveRate: Double

    /// The fraction of positive examples that are rejected.
    public var falseNegativeRate: Double { 1 - truePositiveRate }
  }

  /// The points from the highest threshold, which accepts nothing, to the lowest, which accepts
  /// all.
  public let points: [Point]

  /// Creates a curve from steps, the last of which has positive and negative examples.
  init(_ steps: [ThresholdStep]) {
    let positives = Double(steps.last?.truePositives ?? 0)
    let negatives = Double(steps.last?.falsePositives ?? 0)
    let first = Point(threshold: .infinity, falsePositiveRate: 0, truePositiveRate: 0)
    points =
      [first]
      + steps.map {
        Point(
          threshold: $0.threshold, falsePositiveRate: Double($0.falsePositives) / negatives,
          truePositiveRate: Double($0.truePositives) / positives)
      }
  }

  /// The area under the curve: the probability that a positive example scores higher than a
  /// negative one.
  public var area: Double {
    zip(points, points.dropFirst()).reduce(0) { sum, pair in
      let width = pair.1.falsePositiveRate - pair.0.falsePositiveRate
      return sum + width * (pair.0.truePositiveRate + pair.1.truePositiveRate) / 2
    }
  }

  /// The rate at which false positive rate and false negative rate are equal.
  ///
  /// The rate is interpolated linearly between points of the curve; the threshold is that of the
  /// first point at or beyond it.
  public var equalErrorRate: (rate: Double, threshold: Double) {
    // The guard always succeeds: the difference is −1 at the first point and 1 at the last.
    guard let index = points.firstIndex(where: { $0.errorRateDifference >= 0 }), index > 0 else {
      return (0, 0)
    }
    let (before, after) = (points[index - 1], points[index])
    let position =
      before.errorRateDifference / (before.errorRateDifference - after.errorRateDifference)
    let rate =
      before.falsePositiveRate + position * (after.falsePositiveRate - before.falsePositiveRate)
    return (rate, after.threshold)
  }

  /// The point with the largest difference of the two rates (Youden's J); the highest threshold in
  /// a tie.
  public var youdenPoint: Point {
    points.dropFirst().reduce(points[0]) { $1.youdenIndex > $0.youdenIndex ? $1 : $0 }
  }

  /// Returns the true positive rate at a maximum false positive rate.
  public func truePositiveRate(atFalsePositiveRate limit: Double) -> Double {
    points.last { $0.falsePositiveRate <= limit }?.truePositiveRate ?? 0
  }
}

extension ROCCurve.Point {
  /// The difference of the error rates, which is 0 at the equal error rate.
  fileprivate var errorRateDifference: Double { falsePositiveRate - falseNegativeRate }

  /// Youden's J statistic.
  fileprivate var youdenIndex: Double { truePositiveRate - falsePositiveRate }
}

/// Precision over recall.
public struct PrecisionRecallCurve: Sendable, Hashable {
  /// The precision and recall when all scores from a threshold on are accepted.
  public struct Point: Sendable, Hashable {
    /// The lowest accepted score; infinite at the last point.
    public let threshold: Double
    /// The fraction of accepted examples that are positive.
    public let precision: Double
    /// The fraction of positive examples that are accepted.
    public let recall: Double
  }

  /// The points from the lowest threshold to the highest, followed by a precision of 1 at recall 0.
  public let points: [Point]

  /// Creates a curve from steps, the last of which has positive examples.
  init(_ steps: [ThresholdStep]) {
    let positives = Double(steps.last?.truePositives ?? 0)
    points =
      steps.reversed().map {
        Point(
          threshold: $0.threshold, precision: Double($0.truePositives) / Double($0.count),
          recall: Double($0.truePositives) / positives)
      } + [Point(threshold: .infinity, precision: 1, recall: 0)]
  }

  /// The mean of the precisions weighted by the gain in recall, without interpolation.
  public var averagePrecision: Double {
    zip(points, points.dropFirst()).reduce(0) { sum, pair in
      sum + (pair.0.recall - pair.1.recall) * pair.0.precision
    }
  }
}
