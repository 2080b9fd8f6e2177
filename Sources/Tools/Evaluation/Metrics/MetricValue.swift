public import TensorIOCore

/// A named metric with one value, or one value for each element of an output.
public struct MetricValue: Sendable, Hashable {
  /// Whether higher or lower values are better.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// Higher values are better.
    case higher
    /// Lower values are better.
    case lower
    /// Neither, as for a threshold or a bias.
    case neither
  }

  /// The unit of a value.
  public enum Unit: String, Sendable, Hashable, CaseIterable {
    /// No unit, or that of the model's output.
    case number = ""
    /// A fraction from 0 to 1.
    case fraction
    /// Milliseconds.
    case milliseconds = "ms"
  }

  /// The name in reports and gates.
  public let name: String
  /// One value, or one for each element of an output.
  public let values: [Double]
  /// The unit of the values.
  public package(set) var unit: Unit
  /// Whether higher or lower values are better.
  public package(set) var direction: Direction
  /// The interval that contains the true value; `nil` if it is unknown.
  public package(set) var interval: ConfidenceInterval?

  /// Creates a metric with one value for each element of an output.
  public init(
    _ name: String, values: [Double], unit: Unit = .number, direction: Direction = .neither
  ) {
    self.name = name
    self.values = values
    self.unit = unit
    self.direction = direction
  }

  /// Creates a metric with one value.
  public init(
    _ name: String, _ value: Double, unit: Unit = .number, direction: Direction = .neither
  ) {
    self.init(name, values: [value], unit: unit, direction: direction)
  }

  /// The value, if there is exactly one.
  public var value: Double? { values.count == 1 ? values[0] : nil }
}

extension MetricValue {
  /// Returns a fraction for which higher is better; `nil` without a value.
  static func fraction(_ name: String, _ value: Double?) -> MetricValue? {
    value.map { MetricValue(name, $0, unit: .fraction, direction: .higher) }
  }

  /// Returns an error for which lower is better; `nil` without a value.
  static func error(_ name: String, _ value: Double?, unit: Unit = .number) -> MetricValue? {
    value.map { MetricValue(name, $0, unit: unit, direction: .lower) }
  }
}

/// A metric that is accumulated one example at a time.
///
/// Every conforming type has an `add` method whose parameters depend on the kind of example.
public protocol Metric: Sendable {
  /// The metrics of all examples so far, without those that are undefined.
  var values: [MetricValue] { get }
}

/// Returns a fraction of a total; `nil` if the total is 0.
func ratio(_ part: Int, of total: Int) -> Double? {
  total > 0 ? Double(part) / Double(total) : nil
}

/// A mean that is updated incrementally, which avoids large intermediate sums.
public struct RunningMean: Sendable, Hashable {
  /// The number of values.
  public private(set) var count = 0
  private var current = 0.0

  /// Creates a mean without values.
  public init() {}

  /// Adds a value.
  public mutating func add(_ value: Double) {
    count += 1
    current += (value - current) / Double(count)
  }

  /// The mean; `nil` without values.
  public var value: Double? { count > 0 ? current : nil }
}

extension Collection<Double> {
  /// The mean; `nil` for an empty collection.
  var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}

extension LatencyRecord {
  /// Returns the percentiles `latency_p50`, `latency_p90` and `latency_p99` in milliseconds.
  ///
  /// Each percentile is the duration of a run, without interpolation. The result is empty without
  /// runs.
  ///
  /// - Parameter prefix: The first part of the metric names.
  /// - Returns: The metrics, in the order of the percentiles.
  public func metrics(prefix: String = "latency") -> [MetricValue] {
    [50, 90, 99].compactMap { percent in
      percentile(Double(percent)).map {
        MetricValue(
          "\(prefix)_p\(percent)", $0.milliseconds, unit: .milliseconds, direction: .lower)
      }
    }
  }
}

extension RandomAccessCollection<MetricValue> {
  /// The metric with a name; `nil` if there is none.
  ///
  ///     let accuracy = result.metrics["top1"]?.value
  public subscript(name: String) -> MetricValue? { first { $0.name == name } }
}
