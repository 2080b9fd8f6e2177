import TensorIOSystem

/// Metrics of items that can count several times or not at all.
///
/// The metrics of a slice are those of its items; a resample contains an item several times.
protocol ItemMetric: Sendable {
  /// The approximate number of additions that ``values(_:)`` takes.
  var cost: Int { get }
  /// The reason why no metric has an interval; `nil` if all may have one.
  var reasonAgainstIntervals: String? { get }

  /// Returns the reason why a metric has no interval.
  func reasonAgainstInterval(of name: String) -> String?

  /// Returns the metrics if each item counts as often as its weight.
  ///
  /// Metrics of a class have names such as `recall[cat]`.
  func values(_ weights: [Int32]) -> [MetricValue]

  /// Returns the metrics of some of the items, in that order.
  func selecting(_ items: [Int]) -> any ItemMetric
}

extension ItemMetric {
  var reasonAgainstIntervals: String? { nil }

  func reasonAgainstInterval(of name: String) -> String? { reasonAgainstIntervals }
}

/// A function of the ratio of two sums over items, such as an accuracy or a mean error.
struct RatioItems: ItemMetric {
  /// The value of a ratio.
  enum Transform: Sendable {
    case identity
    /// The square root, for a mean of squares.
    case squareRoot
    /// exp(−x), for a mean of logarithms of probabilities.
    case inverseExponential
  }

  /// The metric, whose value is replaced.
  private let metric: MetricValue
  private let numerators: [Double]
  /// The denominators; `nil` if all are 1.
  private let denominators: [Double]?
  private let transform: Transform
  /// Whether each item is right or wrong.
  private let isProportion: Bool

  init(
    _ name: String, unit: MetricValue.Unit = .fraction,
    direction: MetricValue.Direction = .higher, _ numerators: [Double],
    of denominators: [Double]? = nil, transform: Transform = .identity
  ) {
    metric = MetricValue(name, values: [], unit: unit, direction: direction)
    (self.numerators, self.denominators, self.transform) = (numerators, denominators, transform)
    isProportion = denominators == nil && numerators.allSatisfy { $0 == 0 || $0 == 1 }
  }

  /// Creates the fraction of items that are correct.
  init(_ name: String, areCorrect: [Bool]) { self.init(name, areCorrect.map { $0 ? 1 : 0 }) }

  var cost: Int { numerators.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    let sum = Self.sum(numerators, weights)
    let total =
      denominators.map { Self.sum($0, weights) } ?? Double(weights.reduce(0) { $0 + Int($1) })
    guard total > 0 else { return [] }
    let value =
      switch transform {
      case .identity: sum / total
      case .squareRoot: (sum / total).squareRoot()
      case .inverseExponential: exp(-sum / total)
      }
    var result = MetricValue(
      metric.name, value, unit: metric.unit, direction: metric.direction)
    if isProportion { result.interval = ConfidenceInterval(successes: Int(sum), of: Int(total)) }
    return [result]
  }

  /// Returns the sum of values times weights.
  ///
  /// Items without weight are added too, unless they are infinite, since a branch takes longer than an addition.
  private static func sum(_ values: [Double], _ weights: [Int32]) -> Double {
    let sum = values.sum(weightedBy: weights)
    guard !sum.isFinite else { return sum }
    return weights.indices.reduce(0) {
      weights[$1] > 0 ? $0 + Double(weights[$1]) * values[$1] : $0
    }
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    RatioItems(
      metric.name, unit: metric.unit, direction: metric.direction, items.map { numerators[$0] },
      of: denominators.map { values in items.map { values[$0] } }, transform: transform)
  }
}
