/// What a model costs in one of several ways of running it.
public struct BenchmarkResult: Sendable, Hashable {
  /// The way of running it.
  public let setting: BenchmarkSetting
  /// How often the model was run, warm-up aside.
  public let runs: Int
  /// Items a second in each round, in their order.
  public let rates: [Double]
  /// What each stage of a run took, in order: picture, input, run, output, total.
  public let stages: [StageSpeed]
  /// What opening the model took, in milliseconds.
  public let open: Double
  /// What its very first run took, in milliseconds.
  public let firstRun: Double
  /// By how many bytes the process grew while the model was opened and first run.
  public let openedBytes: Int?
  /// By how many bytes the process grew during the runs that count.
  public let grownBytes: Int?
  /// How many bytes the process had after the last round, with the models of all settings open.
  public let residentBytes: Int?

  /// Items a second: the median of all rounds.
  public var rate: Double { rates.median ?? 0 }
}

extension [Double] {
  /// The middle one, or the mean of the two in the middle; `nil` without numbers.
  var median: Double? {
    guard !isEmpty else { return nil }
    let sorted = sorted()
    let middle = count / 2
    return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
