import TensorIOSystem

/// An interval that contains the true value of a metric in 95 of 100 samples of the same size.
///
/// A metric of few items is uncertain: 4 of 5 correct items are compatible with an accuracy of 38 % and of
/// 96 %.
///
/// ```swift
/// import TensorIOEvaluation
///
/// let accuracy = ConfidenceInterval(successes: 4, of: 5)
/// print(accuracy?.low ?? 0, accuracy?.high ?? 1)  // 0.376 0.964
/// ```
public struct ConfidenceInterval: Sendable, Hashable {
  /// How an interval is computed.
  public enum Method: String, Sendable, Hashable, CaseIterable {
    /// Wilson's score interval of a proportion.
    case wilson
    /// Percentiles of the metric over resampled items.
    case bootstrap
  }

  /// The probability that an interval contains the true value.
  static let level = 0.95
  /// The quantile of the normal distribution that belongs to ``level``.
  private static let quantile = 1.959_963_984_540_054
  /// The smallest part of the resamples in which a metric has to be defined.
  private static let minDefinedPart = 0.95

  /// The lower end.
  public let low: Double
  /// The upper end.
  public let high: Double
  /// How the interval is computed.
  public let method: Method

  /// Creates an interval.
  public init(low: Double, high: Double, method: Method) {
    (self.low, self.high, self.method) = (low, high, method)
  }

  /// Creates Wilson's score interval of a proportion; `nil` unless `0...count` contains `successes` and there is
  /// an item.
  public init?(successes: Int, of count: Int) {
    guard count > 0, (0...count).contains(successes) else { return nil }
    let (n, p, z) = (Double(count), Double(successes) / Double(count), Self.quantile)
    let center = (p + z * z / (2 * n)) / (1 + z * z / n)
    let reach = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
    self.init(
      low: successes == 0 ? 0 : center - reach, high: successes == count ? 1 : center + reach,
      method: .wilson)
  }

  /// Creates the interval between two percentiles of the values of resamples; `nil` if a twentieth of them is
  /// undefined, which are NaN.
  init?(resampled values: [Double]) {
    let sorted = values.filter { !$0.isNaN }.sorted()
    guard !sorted.isEmpty, Double(sorted.count) >= Self.minDefinedPart * Double(values.count) else {
      return nil
    }
    let tail = (1 - Self.level) / 2
    self.init(
      low: sorted.quantile(tail), high: sorted.quantile(1 - tail), method: .bootstrap)
  }
}

extension [Double] {
  /// Returns a quantile of sorted numbers with linear interpolation, as NumPy does.
  func quantile(_ fraction: Double) -> Double {
    guard let last = indices.last else { return .nan }
    let position = fraction * Double(last)
    let index = Swift.min(Int(position), last)
    let next = Swift.min(index + 1, last)
    guard self[index] != self[next] else { return self[index] }
    return self[index] + (position - Double(index)) * (self[next] - self[index])
  }
}
