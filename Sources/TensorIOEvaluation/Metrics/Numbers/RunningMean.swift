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
