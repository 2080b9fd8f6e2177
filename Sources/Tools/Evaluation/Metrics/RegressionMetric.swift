/// Error metrics of numeric predictions, computed in one pass with constant memory.
///
/// ```swift
/// import TensorIOEvaluation
///
/// var metric = RegressionMetric()
/// metric.add(2.5, groundTruth: 3)
/// print(metric.values)  // mae, rmse, r2, max_error, bias
/// ```
public struct RegressionMetric: Metric {
  private var absolute = RunningMean()
  private var squared = RunningMean()
  private var signed = RunningMean()
  /// The first correct value, subtracted from all others to avoid cancellation.
  private var origin: Double?
  private var groundTruthMean = RunningMean()
  private var groundTruthSquares = 0.0
  private var maxAbsoluteError = 0.0

  /// Creates a metric without examples.
  public init() {}

  /// Adds a predicted and a correct number.
  public mutating func add(_ predicted: Double, groundTruth: Double) {
    let error = predicted - groundTruth
    absolute.add(abs(error))
    squared.add(error * error)
    signed.add(error)
    maxAbsoluteError =
      error.isNaN || maxAbsoluteError.isNaN ? .nan : max(maxAbsoluteError, abs(error))
    addGroundTruth(groundTruth - (origin ?? groundTruth))
    origin = origin ?? groundTruth
  }

  /// Updates the sum of squared differences from the mean with Welford's algorithm.
  private mutating func addGroundTruth(_ next: Double) {
    let before = next - (groundTruthMean.value ?? next)
    groundTruthMean.add(next)
    groundTruthSquares += before * (next - (groundTruthMean.value ?? next))
  }

  /// The number of examples.
  public var count: Int { absolute.count }

  /// The mean absolute error.
  public var meanAbsoluteError: Double? { absolute.value }

  /// The mean squared error.
  public var meanSquaredError: Double? { squared.value }

  /// The root mean squared error.
  public var rootMeanSquaredError: Double? { squared.value?.squareRoot() }

  /// The largest absolute error.
  public var maxError: Double? { count > 0 ? maxAbsoluteError : nil }

  /// The mean error, which is positive if predictions are too high.
  public var bias: Double? { signed.value }

  /// The coefficient of determination R².
  ///
  /// It is `nil` for fewer than two examples. If the ground truth is constant, it is 1 when all
  /// predictions are correct, and 0 otherwise.
  public var rSquared: Double? {
    guard count > 1, let squared = squared.value else { return nil }
    guard groundTruthSquares != 0 else { return squared == 0 ? 1 : 0 }
    return 1 - squared * Double(count) / groundTruthSquares
  }

  /// `mae`, `rmse`, `r2`, `max_error` and `bias`.
  public var values: [MetricValue] {
    [
      .error("mae", meanAbsoluteError), .error("rmse", rootMeanSquaredError),
      rSquared.map { MetricValue("r2", $0, direction: .higher) },
      .error("max_error", maxError), bias.map { MetricValue("bias", $0) },
    ].compactMap(\.self)
  }
}
