import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOJSON
import TensorIOSystem

/// Prints the results of a benchmark as text or JSON.
struct BenchmarkReport {
  let model: String
  let modelName: String
  let input: BenchmarkInput
  let options: Benchmark.Options
  let results: [BenchmarkResult]

  /// Writes the report.
  func write(isJSON: Bool, _ console: Console) {
    guard isJSON else { return console.printText(lines(width: console.outputColumns)) }
    var writer = JSONWriter(.indented)
    writer.array { writer in
      for result in results { write(result, to: &writer) }
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}

// MARK: Text

extension BenchmarkReport {
  private func lines(width: Int?) -> [String] {
    guard !results.isEmpty else { return ["\(modelName): no measurements"] }
    return ["\(modelName) on \(input.summary)"] + methodLines + [""]
      + throughputTable.lines(width: width) + ["", "latency in ms:"]
      + latencyTable.lines(width: width)
  }

  private var methodLines: [String] {
    let length =
      switch options.measurementLength {
      case .runs(let count): "\(count) runs"
      case .time(let time): "\((time.milliseconds / 1000).formatted(decimals: 1)) s"
      }
    return [
      "\(length) per configuration in \(results[0].roundThroughputs.count) rounds, "
        + "after \(options.warmUpRuns) warm-up runs",
      "items/s: median of the rounds; min and max: slowest and fastest round",
    ]
  }

  private var throughputTable: TextTable {
    let header =
      Self.settingHeader + [
        "runs", "items/s", "min", "max", "load ms", "first ms", "load MB", "growth MB",
      ]
    return TextTable(
      header,
      results.map { result in
        result.configuration.tableCells + [
          "\(result.runCount)", result.throughput.throughputText,
          result.roundThroughputs.min()?.throughputText ?? "–",
          result.roundThroughputs.max()?.throughputText ?? "–",
          result.loadMilliseconds.formatted(decimals: 2),
          result.firstRunMilliseconds.formatted(decimals: 2),
          result.loadMemoryGrowth.megabyteText, result.runMemoryGrowth.megabyteText,
        ]
      }
    )
  }

  private var latencyTable: TextTable {
    let rows = results.flatMap { result in
      result.stageLatencies.filter { $0.p99 > 0 || $0.mean > 0 }.map { stage in
        result.configuration.tableCells + [stage.name]
          + [stage.p50, stage.p90, stage.p99, stage.mean].map { $0.formatted(decimals: 3) }
      }
    }
    return TextTable(Self.settingHeader + ["stage", "p50", "p90", "p99", "mean"], rows)
  }

  private static let settingHeader = ["threads", "callers", "batch"]
}

extension BenchmarkConfiguration {
  fileprivate var tableCells: [String] { ["\(threads)", "\(concurrency)", "\(batchSize)"] }
}

extension Double {
  /// The number of items per second, with decimals below 100.
  fileprivate var throughputText: String { formatted(decimals: self < 100 ? 2 : 0) }
}

extension Int? {
  fileprivate var megabyteText: String { map { $0.roundedMebibytes.formatted(decimals: 1) } ?? "–" }
}

// MARK: JSON

extension BenchmarkReport {
  private func write(_ result: BenchmarkResult, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", model)
      writer.member("input", input.name)
      writer.member("threads", result.configuration.threads)
      writer.member("concurrency", result.configuration.concurrency)
      writer.member("batch", result.configuration.batchSize)
      writer.member("runs", result.runCount)
      writer.member("items_per_second", result.throughput.roundedToThousandths)
      writer.member(
        "items_per_second_min", (result.roundThroughputs.min() ?? 0).roundedToThousandths)
      writer.member(
        "items_per_second_max", (result.roundThroughputs.max() ?? 0).roundedToThousandths)
      writer.key("latency_ms")
      writer.write(result.stageLatencies)
      writer.member("load_ms", result.loadMilliseconds.roundedToThousandths)
      writer.member("first_run_ms", result.firstRunMilliseconds.roundedToThousandths)
      let memory = [
        ("rss_mb", result.residentBytes), ("load_mb", result.loadMemoryGrowth),
        ("rss_growth_mb", result.runMemoryGrowth),
      ]
      for case (let name, let bytes?) in memory { writer.member(name, bytes.roundedMebibytes) }
    }
  }
}

/// The input of a benchmark.
struct BenchmarkInput {
  let value: ModelInput
  /// The name of the input; empty for a dummy input.
  let name: String
  /// A remark about the input.
  let note: String?

  /// Creates the input from arguments, or else from the bundle's first example or sample, or else a
  /// dummy input.
  init(_ arguments: [String], of bundle: ModelBundle, _ console: Console) throws(OperationError) {
    let layers = bundle.description.callerInputs
    let reader = InputItemParser(layers, placeholders: bundle.description.placeholders, console)
    let usesSample = arguments.isEmpty
    let list =
      usesSample ? try BundleSamples(bundle).firstItems(reader) : try reader.items(arguments)
    do throws(ModelError) {
      guard let items = list?.items else {
        value = try .dummy(for: layers)
        (name, note) = ("", Self.blankInputNote(for: layers))
        return
      }
      guard items.count == 1, let item = items.first else {
        throw ModelError(
          .input, .wrongType(expected: "one input", actual: "\(items.count) inputs"))
      }
      value = try item.read()
      (name, note) = (item.name, usesSample ? "from the bundle" : nil)
    } catch {
      throw OperationError(error)
    }
  }

  private static func blankInputNote(for layers: [Layer]) -> String {
    let kinds = [
      layers.contains(where: \.isImage) ? "a gray image" : nil,
      layers.contains { !$0.isImage } ? "zeros" : nil,
    ]
    return kinds.compactMap(\.self).joined(separator: " and ")
      + " (no input given, and the bundle has no sample)"
  }

  /// The name and the remark.
  var summary: String {
    [name, note ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
