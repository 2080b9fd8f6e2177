public import TensorIOCore

/// How long a model took, and what it took besides.
public struct PerformanceResult: Sendable, Hashable {
  /// What each stage of a run took, in order: picture, input, run, output, total.
  public var stageLatencies: [StageLatency] = []
  /// How the total of the runs was spread.
  public var histogram: [HistogramBin] = []
  /// The first run in milliseconds, which is not among the others.
  public var firstRunMilliseconds: Double?
  /// From the first item to the last, in seconds.
  public var totalSeconds = 0.0
  /// Items a second.
  public var throughput: Double?
  /// The most memory that the process took, in bytes.
  public var peakMemoryBytes: Int?
  /// How many items were under way at the same time.
  public var concurrency = 1

  /// Nothing measured yet.
  public init() {}
}

extension PerformanceResult {
  /// What there is to say of time and memory: `latency_mean`, `latency_p50`, `latency_p90` and
  /// `latency_p99` in milliseconds, `first_run`, `rate` and `memory_mb`.
  public var metrics: [MetricValue] {
    (stageLatencies.last?.metrics(prefix: "latency") ?? [])
      + [
        MetricValue.error("first_run", firstRunMilliseconds, unit: .milliseconds),
        throughput.map { MetricValue("rate", $0, direction: .higher) },
        MetricValue.error("memory_mb", peakMemoryBytes.map { Double($0 / (1 << 20)) }),
      ].compactMap(\.self)
  }

  /// The same of each stage: `run_mean`, `run_p50` and so on.
  public var stageMetrics: [MetricValue] { stageLatencies.dropLast().flatMap { $0.metrics(prefix: $0.name) } }
}

/// What a stage of a run took, in milliseconds.
public struct StageLatency: Sendable, Hashable {
  /// The stage.
  public var name: String
  /// On average.
  public var mean: Double
  /// What half of the runs did not exceed.
  public var p50: Double
  /// What 90 % of the runs did not exceed.
  public var p90: Double
  /// What 99 % of the runs did not exceed.
  public var p99: Double

  /// A stage by its figures.
  public init(name: String, mean: Double, p50: Double, p90: Double, p99: Double) {
    (self.name, self.mean, self.p50, self.p90, self.p99) = (name, mean, p50, p90, p99)
  }

  /// What was recorded of a stage; `nil` without runs.
  public init?(_ name: String, _ record: LatencyRecord) {
    let percentiles = [50, 90, 99].compactMap { record.percentile($0)?.milliseconds }
    guard let mean = record.mean?.milliseconds, percentiles.count == 3 else { return nil }
    self.init(
      name: name, mean: mean, p50: percentiles[0], p90: percentiles[1], p99: percentiles[2])
  }
}

extension StageLatency {
  fileprivate func metrics(prefix name: String) -> [MetricValue] {
    [("mean", mean), ("p50", p50), ("p90", p90), ("p99", p99)].map {
      MetricValue("\(name)_\($0)", $1, unit: .milliseconds, direction: .lower)
    }
  }
}

extension [Timings] {
  /// What each stage took, in order: picture, input, run, output, total.
  var stageLatencies: [StageLatency] {
    Timings().stages.indices.compactMap { stage in
      var record = LatencyRecord()
      for timings in self { record.add(timings.stages[stage].duration) }
      return StageLatency(Timings().stages[stage].name, record)
    }
  }
}

/// How many runs took about as long.
public struct HistogramBin: Sendable, Hashable {
  /// From so many milliseconds.
  public var lowerMilliseconds: Double
  /// To so many.
  public var upperMilliseconds: Double
  /// How many runs.
  public var count: Int

  /// Runs that took about as long.
  public init(lowerMilliseconds: Double, upperMilliseconds: Double, count: Int) {
    (self.lowerMilliseconds, self.upperMilliseconds, self.count) = (lowerMilliseconds, upperMilliseconds, count)
  }
}
