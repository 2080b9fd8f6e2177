import TensorIOBundle
import TensorIOJSON

extension PerformanceResult {
  /// The keys of a result that have its latency and memory.
  static let fields: [Field<PerformanceResult>] = [
    Field(
      "latency_ms", \.stageLatencies, StageLatency.byStage,
      "The latency of each stage in milliseconds."),
    Field.derived("peak_memory_mb", .integer, "The peak memory in mebibytes.") {
      $0.peakMemoryBytes.map { $0 / (1 << 20) }
    },
    Field("peak_memory_bytes", \.peakMemoryBytes, .integer, "The peak memory in bytes."),
    Field("first_run_ms", \.firstRunMilliseconds, .anyNumber, "The time of the first run."),
    Field("throughput", \.throughput, .anyNumber, "Items per second."),
    Field("total_seconds", \.totalSeconds, .anyNumber, "The time of all items."),
    Field("concurrency", \.concurrency, .integer, "The runs at the same time."),
    Field(
      "latency_histogram", \.histogram, .list(of: HistogramBin.format.value, "objects"),
      default: [], "The distribution of the latency."),
  ]
}

extension StageLatency {
  fileprivate static let format = ObjectFormat(
    "a latency", schema: "latency", StageLatency(name: "", mean: 0, p50: 0, p90: 0, p99: 0)
  ) {
    Field("mean", \.mean, .anyNumber, "The mean.")
    Field("p50", \.p50, .anyNumber, "The median.")
    Field("p90", \.p90, .anyNumber, "The 90th percentile.")
    Field("p99", \.p99, .anyNumber, "The 99th percentile.")
  }

  /// An object with the latency of each stage.
  fileprivate static let byStage = ValueFormat<[StageLatency]>.members(
    schema: { ["type": "object", "additionalProperties": format.value.schema(&$0)] },
    read: { member, reader in
      var latency = format.read(member.value, &reader)
      latency?.name = member.name
      return latency
    },
    write: { stage, writer in
      writer.key(stage.name)
      format.write(stage, &writer)
    })
}

extension HistogramBin {
  fileprivate static let format = ObjectFormat(
    "a bin", schema: "histogramBin",
    HistogramBin(lowerMilliseconds: 0, upperMilliseconds: 0, count: 0)
  ) {
    Field("lower_ms", \.lowerMilliseconds, .anyNumber, "The lower bound.")
    Field("upper_ms", \.upperMilliseconds, .anyNumber, "The upper bound.")
    Field("count", \.count, .integer, "The runs.")
  }
}
