/// Judges numbers by how far they are from the right ones, in one pass and a few numbers of memory.
///
///     var metric = RegressionMetric()
///     metric.add(2.5, truth: 3)
///     metric.figures  // mae, rmse, r2, max_error, bias
public struct RegressionMetric: Metric {
  private var absolute = RunningMean()
  private var squared = RunningMean()
  private var signed = RunningMean()
  /// The first right number, from which the others are counted: their digits are then not spent on
  /// how far all of them are from zero.
  private var origin: Double?
  private var truth = RunningMean()
  private var truthSquares = 0.0
  private var maxAbsoluteError = 0.0

  /// A judge without examples.
  public init() {}

  /// Takes a number and the right one into account.
  public mutating func add(_ found: Double, groundTruth right: Double) {
    let error = found - right
    absolute.add(abs(error))
    squared.add(error * error)
    signed.add(error)
    maxAbsoluteError = error.isNaN || maxAbsoluteError.isNaN ? .nan : max(maxAbsoluteError, abs(error))
    addTruth(right - (origin ?? right))
    origin = origin ?? right
  }

  /// Welford's way: squares of differences from a mean that moves.
  private mutating func addTruth(_ next: Double) {
    let before = next - (truth.value ?? next)
    truth.add(next)
    truthSquares += before * (next - (truth.value ?? next))
  }

  /// How many numbers there were.
  public var count: Int { absolute.count }

  /// The mean absolute error.
  public var meanAbsoluteError: Double? { absolute.value }

  /// The mean of the squared errors.
  public var meanSquaredError: Double? { squared.value }

  /// The root of the mean of the squared errors.
  public var rootMeanSquaredError: Double? { squared.value?.squareRoot() }

  /// The largest error, whatever its sign.
  public var maxError: Double? { count > 0 ? maxAbsoluteError : nil }

  /// The mean error: positive where the numbers are too high.
  public var bias: Double? { signed.value }

  /// The share of the truth's variance that is explained: R², the coefficient of determination.
  ///
  /// Not known for fewer than two numbers. Where the truth never varies it is 1 when all numbers are
  /// right, and 0 otherwise.
  public var rSquared: Double? {
    guard count > 1, let squared = squared.value else { return nil }
    guard truthSquares != 0 else { return squared == 0 ? 1 : 0 }
    return 1 - squared * Double(count) / truthSquares
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
