/// One figure that sums up how good a model is, or one for each element of an output.
public struct Figure: Sendable, Hashable {
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
    case share
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
  public let better: Direction

  /// A figure with a value for each element of an output.
  public init(
    _ name: String, values: [Double], unit: Unit = .number, better: Direction = .neither
  ) {
    self.name = name
    self.values = values
    self.unit = unit
    self.better = better
  }

  /// A figure with one value.
  public init(
    _ name: String, _ value: Double, unit: Unit = .number, better: Direction = .neither
  ) {
    self.init(name, values: [value], unit: unit, better: better)
  }

  /// The value, where there is one.
  public var value: Double? { values.count == 1 ? values[0] : nil }
}

extension Figure {
  /// A part of a whole, the more of it the better; `nil` where it is not known.
  static func share(_ name: String, _ value: Double?) -> Figure? {
    value.map { Figure(name, $0, unit: .share, better: .higher) }
  }

  /// An error, the less of it the better; `nil` where it is not known.
  static func error(_ name: String, _ value: Double?, unit: Unit = .number) -> Figure? {
    value.map { Figure(name, $0, unit: unit, better: .lower) }
  }
}

/// Takes one example after the other into account, and sums them up.
///
/// What an example is, every metric says with a method `add` of its own.
public protocol Metric: Sendable {
  /// What there is to say of all examples so far; a figure that is not known is left out.
  var figures: [Figure] { get }
}
