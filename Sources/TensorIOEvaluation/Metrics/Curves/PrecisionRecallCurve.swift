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
