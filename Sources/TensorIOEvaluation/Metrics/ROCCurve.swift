/// How many of the right ones get in, against how many of the wrong ones, at every threshold.
public struct ROCCurve: Sendable, Hashable {
  /// What comes of letting in all scores from a threshold on.
  public struct Point: Sendable, Hashable {
    /// The lowest score that gets in; infinite at the curve's beginning.
    public let threshold: Double
    /// The share of the negative examples that gets in.
    public let falsePositiveRate: Double
    /// The share of the positive examples that gets in.
    public let truePositiveRate: Double

    /// The share of the positive examples that is left out.
    public var falseNegativeRate: Double { 1 - truePositiveRate }
  }

  /// The points from the highest threshold, which lets nothing in, to the lowest, which lets in all.
  public let points: [Point]

  /// A curve through steps, the last of which has both kinds of examples.
  init(_ steps: [ThresholdStep]) {
    let positives = Double(steps.last?.truePositives ?? 0)
    let negatives = Double(steps.last?.falsePositives ?? 0)
    let nothing = Point(threshold: .infinity, falsePositiveRate: 0, truePositiveRate: 0)
    points =
      [nothing]
      + steps.map {
        Point(
          threshold: $0.threshold, falsePositiveRate: Double($0.falsePositives) / negatives,
          truePositiveRate: Double($0.truePositives) / positives)
      }
  }

  /// The area under the curve: how likely a positive example has the higher score than a negative one.
  public var area: Double {
    zip(points, points.dropFirst()).reduce(0) { sum, pair in
      let width = pair.1.falsePositiveRate - pair.0.falsePositiveRate
      return sum + width * (pair.0.truePositiveRate + pair.1.truePositiveRate) / 2
    }
  }

  /// Where as large a share of the negative examples gets in as of the positive ones is left out.
  ///
  /// The rate is that of the point where the straight lines between the curve's points cross the
  /// diagonal; the threshold is that of the first point which is not before it.
  public var equalErrorRate: (rate: Double, threshold: Double) {
    // The last point lets everything in, the first nothing: one is not before the diagonal.
    guard let after = points.firstIndex(where: { $0.errorRateDifference >= 0 }), after > 0 else { return (0, 0) }
    let (from, to) = (points[after - 1], points[after])
    let way = from.errorRateDifference / (from.errorRateDifference - to.errorRateDifference)
    let rate = from.falsePositiveRate + way * (to.falsePositiveRate - from.falsePositiveRate)
    return (rate, to.threshold)
  }

  /// The point at which the two rates differ most (Youden's J); of several, the highest threshold.
  public var youdenPoint: Point {
    points.dropFirst().reduce(points[0]) { $1.youdenIndex > $0.youdenIndex ? $1 : $0 }
  }

  /// The share of the positive examples that gets in when no more of the negative ones may.
  public func truePositiveRate(atFalsePositiveRate limit: Double) -> Double {
    points.last { $0.falsePositiveRate <= limit }?.truePositiveRate ?? 0
  }
}

extension ROCCurve.Point {
  /// Positive beyond the diagonal on which both errors are equal, negative before it.
  fileprivate var errorRateDifference: Double { falsePositiveRate - falseNegativeRate }

  /// How far above chance it is.
  fileprivate var youdenIndex: Double { truePositiveRate - falsePositiveRate }
}

/// How many of those that get in are right, against how many of the right ones get in.
public struct PrecisionRecallCurve: Sendable, Hashable {
  /// What comes of letting in all scores from a threshold on.
  public struct Point: Sendable, Hashable {
    /// The lowest score that gets in; infinite where the curve ends.
    public let threshold: Double
    /// The share of what gets in that is positive.
    public let precision: Double
    /// The share of the positive examples that gets in.
    public let recall: Double
  }

  /// The points from the lowest threshold to the highest, and the end: a precision of 1 at a recall
  /// of 0.
  public let points: [Point]

  /// A curve through steps, the last of which has positive examples.
  init(_ steps: [ThresholdStep]) {
    let positives = Double(steps.last?.truePositives ?? 0)
    points =
      steps.reversed().map {
        Point(
          threshold: $0.threshold, precision: Double($0.truePositives) / Double($0.count),
          recall: Double($0.truePositives) / positives)
      } + [Point(threshold: .infinity, precision: 1, recall: 0)]
  }

  /// The mean of the precisions, each as heavy as the recall that it adds; nothing is interpolated.
  public var averagePrecision: Double {
    zip(points, points.dropFirst()).reduce(0) { sum, pair in
      sum + (pair.0.recall - pair.1.recall) * pair.0.precision
    }
  }
}
