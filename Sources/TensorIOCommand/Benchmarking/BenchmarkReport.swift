internal import TensorIOCore
internal import TensorIOEvaluation

/// What was measured, for people and for scripts.
struct BenchmarkReport {
  let model: String
  let name: String
  let input: BenchmarkInput
  let options: Benchmark.Options
  let results: [BenchmarkResult]

  /// Writes what was measured.
  func write(isJSON: Bool, _ console: Console) {
    guard isJSON else { return lines.forEach { console.print($0.printable) } }
    var writer = JSONWriter(.indented)
    writer.array { writer in
      for result in results { write(result, to: &writer) }
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}

// MARK: Text

extension BenchmarkReport {
  private var lines: [String] {
    guard !results.isEmpty else { return ["\(name): nothing was measured"] }
    return ["\(name) on \(input.text)"] + method + [""] + rates + ["", "ms a run:"] + stages
  }

  private var method: [String] {
    let length =
      switch options.length {
      case .runs(let count): "\(count) runs"
      case .time(let time): "\((time.milliseconds / 1000).fixed(1)) s"
      }
    return [
      "\(length) each in \(results[0].rates.count) rounds, after \(options.warmUp) runs to warm up",
      "items/s is the median of the rounds; from and to are the slowest and the fastest",
    ]
  }

  private var rates: [String] {
    let header =
      Self.settingHeader + [
        "runs", "items/s", "from", "to", "open ms", "first ms", "open MB", "growth MB",
      ]
    return TextTable(
      header,
      results.map { result in
        result.setting.texts + [
          "\(result.runs)", result.rate.rateText, result.rates.min()?.rateText ?? "–",
          result.rates.max()?.rateText ?? "–", result.open.fixed(2), result.firstRun.fixed(2),
          result.openedBytes.megabyteText, result.grownBytes.megabyteText,
        ]
      }
    ).lines
  }

  private var stages: [String] {
    let rows = results.flatMap { result in
      result.stages.filter { $0.p99 > 0 || $0.mean > 0 }.map { stage in
        result.setting.texts + [stage.name]
          + [stage.p50, stage.p90, stage.p99, stage.mean].map { $0.fixed(3) }
      }
    }
    return TextTable(Self.settingHeader + ["stage", "p50", "p90", "p99", "mean"], rows).lines
  }

  private static let settingHeader = ["threads", "callers", "batch"]
}

extension BenchmarkSetting {
  fileprivate var texts: [String] { ["\(threads)", "\(concurrency)", "\(batch)"] }
}

extension Double {
  /// Items a second, with decimals where there are few.
  fileprivate var rateText: String { fixed(self < 100 ? 2 : 0) }
}

extension Int? {
  fileprivate var megabyteText: String { map { $0.tenthsOfMegabytes.fixed(1) } ?? "–" }
}

// MARK: JSON

extension BenchmarkReport {
  private func write(_ result: BenchmarkResult, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", model)
      writer.member("input", input.name)
      writer.member("threads", result.setting.threads)
      writer.member("concurrency", result.setting.concurrency)
      writer.member("batch", result.setting.batch)
      writer.member("runs", result.runs)
      writer.member("rate", result.rate.toThousandths)
      writer.member("rate_min", (result.rates.min() ?? 0).toThousandths)
      writer.member("rate_max", (result.rates.max() ?? 0).toThousandths)
      writer.key("latency_ms")
      writer.write(result.stages)
      writer.member("open_ms", result.open.toThousandths)
      writer.member("first_run_ms", result.firstRun.toThousandths)
      let memory = [
        ("memory_mb", result.residentBytes), ("open_mb", result.openedBytes),
        ("growth_mb", result.grownBytes),
      ]
      for case (let name, let bytes?) in memory { writer.member(name, bytes.tenthsOfMegabytes) }
    }
  }
}
