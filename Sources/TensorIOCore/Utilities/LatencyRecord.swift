/// How long a model's runs took, one after the other.
///
///     var record = LatencyRecord()
///     record.add(ContinuousClock().measure { _ = try? model.run(picture) })
///     print(record.mean?.milliseconds ?? 0, record.percentile(90)?.milliseconds ?? 0)
public struct LatencyRecord: Sendable, Hashable {
  /// The durations, in the order in which they were added.
  public private(set) var durations: [Duration] = []

  /// A record without runs.
  public init() {}

  /// Adds a run.
  public mutating func add(_ duration: Duration) {
    durations.append(duration)
  }

  /// How many runs there were.
  public var count: Int { durations.count }
  /// How long the last run took.
  public var last: Duration? { durations.last }
  /// How long all runs took.
  public var total: Duration { durations.reduce(.zero, +) }
  /// How long a run took on average; `nil` without runs.
  public var mean: Duration? { durations.isEmpty ? nil : total / durations.count }

  /// The duration that so many percent of the runs did not exceed; `nil` without runs.
  ///
  /// It is always that of one of the runs: the nearest above.
  public func percentile(_ percent: Double) -> Duration? {
    guard !durations.isEmpty, percent == percent else { return nil }
    let share = min(max(percent, 0), 100) / 100
    let rank = Int((share * Double(durations.count)).rounded(.up))
    return durations.sorted()[max(0, rank - 1)]
  }
}
