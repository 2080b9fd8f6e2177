import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOJSON
import TensorIOSystem

/// Prints the result of a comparison as text or JSON.
struct ComparisonReport {
  let comparison: ModelComparison
  let threads: (a: Int, b: Int)
  let items: [InputItem]
  let result: ComparisonResult
  let failedItems: [ComparedItem]
  /// The tolerance of the command line.
  let tolerance: Double?
  /// The result of the second model, compared with the first one, if there is ground truth.
  let groundTruth: EvaluationResult?

  /// Writes the report.
  func write(isJSON: Bool, _ console: Console) {
    guard isJSON else { return console.printText(lines(width: console.outputColumns)) }
    console.writeJSONObject { write(to: &$0) }
  }
}

// MARK: Text

extension ComparisonReport {
  private func lines(width: Int?) -> [String] {
    modelLines + [""] + outputLines(width) + (groundTruth?.comparisonLines(width: width) ?? [])
      + [""] + latencyLines(width) + largestDifferenceLines(width)
  }

  private var modelLines: [String] {
    [("A", comparison.modelA, threads.a), ("B", comparison.modelB, threads.b)].map {
      name, model, threads in
      let threads = threads == 1 ? "1 thread" : "\(threads) threads"
      return "\(name)  \(model.bundle.path) (\(model.bundle.backend), \(threads))"
    }
  }

  private func outputLines(_ width: Int?) -> [String] {
    let failures = result.failedCount > 0 ? ", \(result.failedCount) failed" : ""
    let rows = result.outputs.map { output in
      [
        output.name, output.agreementRate.map { $0.formatted(decimals: 4) } ?? "–",
        output.maxDifference.differenceText, output.meanDifference.differenceText,
      ]
    }
    return ["\(result.agreedCount) of \(result.comparedCount) items agree\(failures)"]
      + toleranceLines + [""]
      + TextTable(
        ["output", "agreement", "max difference", "mean difference"], rows, leadingTextColumns: 1
      )
      .lines(width: width)
  }

  /// The condition under which numbers agree; empty if only labels are compared.
  private var toleranceLines: [String] {
    guard comparison.outputPairs.contains(where: { $0.a.labelsFile == nil }) else { return [] }
    guard let tolerance else {
      let limit = ModelComparison.defaultTolerance
      return ["numbers agree up to a difference of \(limit), relative to numbers above 1"]
    }
    return ["numbers agree up to a difference of \(tolerance)"]
  }

  private func latencyLines(_ width: Int?) -> [String] {
    let rows = zip(result.latenciesA, result.latenciesB).filter { $0.p99 > 0 || $1.p99 > 0 }.map {
      a, b in
      [a.name] + [a.p50, b.p50].map { $0.formatted(decimals: 3) } + [
        b.p50 > 0 ? (a.p50 / b.p50).formatted(decimals: 2) : "–"
      ]
        + [a.p99, b.p99].map { $0.formatted(decimals: 3) }
    }
    guard !rows.isEmpty else { return [] }
    return TextTable(
      ["latency in ms", "A p50", "B p50", "A / B", "A p99", "B p99"], rows, leadingTextColumns: 1
    )
    .lines(width: width)
  }

  private func largestDifferenceLines(_ width: Int?) -> [String] {
    guard !result.worstItems.isEmpty else { return [] }
    let rows = result.worstItems.map { item in
      let index = item.mostDifferentOutput
      let outputs = [item.outputsA[index], item.outputsB[index]].map { $0.truncated(to: 40) }
      return [items[item.index].name, item.agrees ? "agrees" : "differs"] + outputs
        + [item.maxDifference.differenceText]
    }
    return ["", "largest differences:"]
      + TextTable(["item", "result", "A", "B", "difference"], rows, leadingTextColumns: 4)
      .lines(width: width)
  }
}

extension ComparedItem {
  /// The index of the first labeled output that differs, or else of the largest difference.
  fileprivate var mostDifferentOutput: Int {
    differences.firstIndex { !$0.agrees && $0.isLabeled }
      ?? differences.indices.max { differences[$0].max < differences[$1].max } ?? 0
  }
}

extension Double {
  /// The difference as text with significant digits, in scientific notation if it is small.
  var differenceText: String {
    guard !isNaN else { return "NaN" }
    guard isFinite else { return "∞" }
    guard self != 0 else { return "0" }
    guard self < 1e-4 else { return formatted(decimals: self < 1 ? 6 : 3) }
    var (mantissa, exponent) = (self, 0)
    while mantissa < 1 { (mantissa, exponent) = (mantissa * 10, exponent - 1) }
    let text = mantissa.formatted(decimals: 1)
    return text == "10.0" ? "1.0e\(exponent + 1)" : "\(text)e\(exponent)"
  }
}

extension String {
  /// Returns the text, truncated to a number of characters.
  fileprivate func truncated(to length: Int) -> String {
    count > length ? prefix(length - 1) + "…" : self
  }
}

extension ComparisonReport {
  /// Writes the members that scripts read.
  func write(to writer: inout JSONWriter) {
    writer.member("a", comparison.modelA.bundle.path)
    writer.member("b", comparison.modelB.bundle.path)
    writer.key("threads")
    writer.numbers([threads.a, threads.b])
    writer.member("tolerance", tolerance ?? ModelComparison.defaultTolerance)
    writer.member("count", result.comparedCount)
    writer.member("error_count", result.failedCount)
    if let agreement = result.agreementRate { writer.member("agreement", agreement) }
    writeOutputs("output_agreement", to: &writer) { $0.agreementRate ?? 0 }
    writeOutputs("max_difference", to: &writer) { $0.maxDifference }
    writeOutputs("mean_difference", to: &writer) { $0.meanDifference }
    if let ratio = result.speedup { writer.member("speed_ratio", ratio.roundedToThousandths) }
    writer.member("latency_ms") { writer in
      writer.key("a")
      writer.write(result.latenciesA)
      writer.key("b")
      writer.write(result.latenciesB)
    }
    writer.member("largest_differences", array: result.worstItems) { write($1, to: &$0) }
    writer.member("errors", array: failedItems) { writeFailures(of: $1, to: &$0) }
    if let groundTruth {
      BaselineComparison.writeMember("ground_truth", of: groundTruth, to: &writer)
    }
  }

  private func writeOutputs(
    _ name: String, to writer: inout JSONWriter,
    _ value: (ComparisonResult.OutputComparison) -> Double
  ) {
    writer.member(name) { writer in
      for output in result.outputs { writer.member(output.name, value(output)) }
    }
  }

  private func write(_ item: ComparedItem, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("input", items[item.index].name)
      writer.member("agrees", item.agrees)
      writer.member("max_difference", item.maxDifference)
      for (name, outputs) in [("a", item.outputsA), ("b", item.outputsB)] {
        writer.member(name) { writer in
          for (pair, output) in zip(comparison.outputPairs, outputs) {
            writer.member(pair.name, output)
          }
        }
      }
    }
  }

  private func writeFailures(of item: ComparedItem, to writer: inout JSONWriter) {
    guard case .failed(let failures) = item.outcome else { return }
    for failure in failures {
      writer.object { writer in
        writer.member("input", items[item.index].name)
        if let side = failure.side { writer.member("model", side.rawValue) }
        writer.member("code", failure.code)
        writer.member("message", failure.message)
      }
    }
  }
}

/// The limits of a comparison.
struct ComparisonThresholds {
  /// The maximum difference of two numbers.
  let maxDifference: Double?
  /// The minimum fraction of items that agree.
  let minAgreement: Double?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    maxDifference = try arguments.number(CompareCommand.tolerance)
    minAgreement = try arguments.number(CompareCommand.minAgreement)
    guard maxDifference ?? 0 >= 0 else { throw .usage("--tolerance takes a number of at least 0") }
    guard (0...1).contains(minAgreement ?? 0) else {
      throw .usage("--min-agreement takes a number from 0 to 1")
    }
  }

  /// Reports exceeded limits, and returns whether there are none.
  func areMet(by result: ComparisonResult, _ console: Console) -> Bool {
    let violations = [differenceViolation(in: result), agreementViolation(in: result)]
      .compactMap(\.self)
    for violation in violations {
      console.printError(OperationError("comparison-failed", violation, exitCode: .partialFailure))
    }
    return violations.isEmpty
  }

  private func differenceViolation(in result: ComparisonResult) -> String? {
    guard let maxDifference, result.maxDifference > maxDifference else { return nil }
    return
      "the largest difference is \(result.maxDifference.differenceText); "
      + "--tolerance allows \(maxDifference)"
  }

  private func agreementViolation(in result: ComparisonResult) -> String? {
    guard let minAgreement, result.agreementRate ?? 0 < minAgreement else { return nil }
    return "\(result.agreedCount) of \(result.comparedCount) items agree; "
      + "--min-agreement requires a fraction of \(minAgreement)"
  }
}
