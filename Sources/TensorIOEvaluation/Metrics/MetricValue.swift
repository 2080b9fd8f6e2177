public import TensorIOCore

/// One figure that sums up how good a model is, or one for each element of an output.
public struct MetricValue: Sendable, Hashable {
  /// Which of two values is the better one.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// The higher one.
    case higher
    /// The lower one.
    case lower
    /// Neither: it tells something about the data, or a place to set a threshold.
    case neither
  }

  /// What a value counts.
  public enum Unit: String, Sendable, Hashable, CaseIterable {
    /// Nothing, or what the model's numbers count.
    case number = ""
    /// A part of a whole, from 0 to 1.
    case fraction
    /// Time.
    case milliseconds = "ms"
  }

  /// What it is called, in reports and by gates.
  public let name: String
  /// One value, or one for each element of an output.
  public let values: [Double]
  /// What the values count.
  public let unit: Unit
  /// Which of two values is the better one.
  public let direction: Direction

  /// A figure with a value for each element of an output.
  public init(
    _ name: String, values: [Double], unit: Unit = .number, direction: Direction = .neither
  ) {
    self.name = name
    self.values = values
    self.unit = unit
    self.direction = direction
  }

  /// A figure with one value.
  public init(
    _ name: String, _ value: Double, unit: Unit = .number, direction: Direction = .neither
  ) {
    self.init(name, values: [value], unit: unit, direction: direction)
  }

  /// The value, where there is one.
  public var value: Double? { values.count == 1 ? values[0] : nil }
}

extension MetricValue {
  /// A part of a whole, the more of it the better; `nil` where it is not known.
  static func fraction(_ name: String, _ value: Double?) -> MetricValue? {
    value.map { MetricValue(name, $0, unit: .fraction, direction: .higher) }
  }

  /// An error, the less of it the better; `nil` where it is not known.
  static func error(_ name: String, _ value: Double?, unit: Unit = .number) -> MetricValue? {
    value.map { MetricValue(name, $0, unit: unit, direction: .lower) }
  }
}

/// Takes one example after the other into account, and sums them up.
///
/// What an example is, every metric says with a method `add` of its own.
public protocol Metric: Sendable {
  /// What there is to say of all examples so far; a figure that is not known is left out.
  var values: [MetricValue] { get }
}

/// A part of a whole; `nil` of nothing.
func ratio(_ part: Int, of whole: Int) -> Double? {
  whole > 0 ? Double(part) / Double(whole) : nil
}

/// A mean that never sums up more than it has to.
public struct RunningMean: Sendable, Hashable {
  /// How many numbers there were.
  public private(set) var count = 0
  private var current = 0.0

  /// The mean of no numbers, which is not known.
  public init() {}

  /// Takes a number into account.
  public mutating func add(_ next: Double) {
    count += 1
    current += (next - current) / Double(count)
  }

  /// The mean of all numbers; `nil` without numbers.
  public var value: Double? { count > 0 ? current : nil }
}

extension Collection<Double> {
  /// The mean of the numbers; `nil` without numbers.
  var mean: Double? { isEmpty ? nil : reduce(0, +) / Double(count) }
}

extension LatencyRecord {
  /// What half, 90 % and 99 % of the runs did not exceed: `latency_p50`, `latency_p90`, `latency_p99`.
  ///
  /// Each is the duration of one of the runs, the nearest above; none is known without runs.
  public func metrics(prefix stage: String = "latency") -> [MetricValue] {
    [50, 90, 99].compactMap { percent in
      percentile(Double(percent)).map {
        MetricValue("\(stage)_p\(percent)", $0.milliseconds, unit: .milliseconds, direction: .lower)
      }
    }
  }
}
