package import TensorIOCore
package import TensorIOJSON

/// The latency, throughput and memory of an evaluation.
package struct PerformanceResult: Sendable, Hashable {
  /// The latency of each stage: image, input, run, output and total.
  package var stageLatencies: [StageLatency] = []
  /// The distribution of the total latency.
  package var histogram: [HistogramBin] = []
  /// The duration of the first run in milliseconds, which is not part of the other statistics.
  package var firstRunMilliseconds: Double?
  /// The duration of the evaluation in seconds.
  package var totalSeconds = 0.0
  /// Items per second.
  package var throughput: Double?
  /// The peak memory of the process, in bytes.
  package var peakMemoryBytes: Int?
  /// The number of items evaluated concurrently.
  package var concurrency = 1

  /// Creates a result without measurements.
  package init() {}
}

extension PerformanceResult {
  /// `latency_mean`, `latency_p50`, `latency_p90`, `latency_p99` and `first_run` in milliseconds,
  /// `throughput` in items per second and `peak_memory_mb` in mebibytes.
  package var metrics: [MetricValue] {
    (stageLatencies.last?.metrics(prefix: "latency") ?? [])
      + [
        MetricValue.error("first_run", firstRunMilliseconds, unit: .milliseconds),
        throughput.map { MetricValue("throughput", $0, direction: .higher) },
        MetricValue.error("peak_memory_mb", peakMemoryBytes.map { Double($0 / (1 << 20)) }),
      ].compactMap(\.self)
  }

  /// The latencies of each stage except the total: `run_mean`, `run_p50` and so on.
  package var stageMetrics: [MetricValue] {
    stageLatencies.dropLast().flatMap { $0.metrics(prefix: $0.name) }
  }
}

/// The latency of one stage, in milliseconds.
package struct StageLatency: Sendable, Hashable {
  /// The name of the stage.
  package var name: String
  /// The mean.
  package var mean: Double
  /// The median.
  package var p50: Double
  /// The 90th percentile.
  package var p90: Double
  /// The 99th percentile.
  package var p99: Double

  /// Creates the latency of a stage.
  package init(name: String, mean: Double, p50: Double, p90: Double, p99: Double) {
    (self.name, self.mean, self.p50, self.p90, self.p99) = (name, mean, p50, p90, p99)
  }

  /// Summarizes recorded durations; `nil` if there are none.
  package init?(_ name: String, _ record: LatencyRecord) {
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
  /// The latency of each stage: image, input, run, output and total, and of each step of a chain.
  var stageLatencies: [StageLatency] {
    let laps = map(\.laps)
    return (first ?? Timings()).laps.enumerated().compactMap { index, lap in
      var record = LatencyRecord()
      for laps in laps where index < laps.count { record.add(laps[index].duration) }
      return StageLatency(lap.name, record)
    }
  }
}

/// A bin of a latency histogram.
package struct HistogramBin: Sendable, Hashable {
  /// The lower bound in milliseconds.
  package var lowerMilliseconds: Double
  /// The upper bound in milliseconds.
  package var upperMilliseconds: Double
  /// The number of runs.
  package var count: Int

  /// Creates a bin.
  package init(lowerMilliseconds: Double, upperMilliseconds: Double, count: Int) {
    (self.lowerMilliseconds, self.upperMilliseconds, self.count) = (
      lowerMilliseconds, upperMilliseconds, count
    )
  }
}

extension JSONWriter {
  /// Writes the latency of each stage in milliseconds, rounded to microseconds.
  package mutating func write(_ stages: [StageLatency]) {
    object { writer in
      for stage in stages {
        writer.member(
          stage.name,
          object: { writer in
            let statistics = [
              ("p50", stage.p50), ("p90", stage.p90), ("p99", stage.p99), ("mean", stage.mean),
            ]
            for (name, value) in statistics { writer.member(name, value.roundedToThousandths) }
          })
      }
    }
  }
}

extension Double {
  /// The number rounded to three decimals.
  package var roundedToThousandths: Double { (self * 1000).rounded() / 1000 }
}

extension Int {
  /// Bytes as mebibytes, rounded to one decimal.
  package var roundedMebibytes: Double { (Double(self) / 1_048_576 * 10).rounded() / 10 }
}
