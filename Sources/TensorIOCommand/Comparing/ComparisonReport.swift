internal import TensorIOCore
internal import TensorIOEvaluation

/// How far two models lie apart, for people and for scripts.
struct ComparisonReport {
  let comparison: Comparison
  let threads: (a: Int, b: Int)
  let items: [Item]
  let result: ComparisonResult
  let failed: [ComparedItem]

  /// Writes the report.
  func write(isJSON: Bool, _ console: Console) {
    guard isJSON else { return lines.forEach { console.print($0.printable) } }
    var writer = JSONWriter(.indented)
    writer.object(write)
    console.output(writer.bytes + Array("\n".utf8))
  }
}

// MARK: Text

extension ComparisonReport {
  private var lines: [String] {
    models + [""] + outputs + [""] + speed + worst
  }

  private var models: [String] {
    [("A", comparison.a, threads.a), ("B", comparison.b, threads.b)].map { name, model, threads in
      let threads = threads == 1 ? "1 thread" : "\(threads) threads"
      return "\(name)  \(model.bundle.path) (\(model.bundle.backend), \(threads))"
    }
  }

  private var outputs: [String] {
    let failures = result.failed > 0 ? ", \(result.failed) failed" : ""
    let rows = result.outputs.map { output in
      [
        output.name, output.agreement.map { $0.fixed(4) } ?? "–",
        output.largest.differenceText, output.mean.differenceText,
      ]
    }
    return ["\(result.agreed) of \(result.count) answers are the same\(failures)", ""]
      + TextTable(["output", "agreement", "largest difference", "mean difference"], rows, words: 1)
      .lines
  }

  private var speed: [String] {
    let rows = zip(result.speedA, result.speedB).filter { $0.p99 > 0 || $1.p99 > 0 }.map { a, b in
      [a.name] + [a.p50, b.p50].map { $0.fixed(3) } + [b.p50 > 0 ? (a.p50 / b.p50).fixed(2) : "–"]
        + [a.p99, b.p99].map { $0.fixed(3) }
    }
    guard !rows.isEmpty else { return [] }
    return TextTable(["ms a run", "A p50", "B p50", "A / B", "A p99", "B p99"], rows, words: 1)
      .lines
  }

  private var worst: [String] {
    guard !result.worst.isEmpty else { return [] }
    let rows = result.worst.map { item in
      let place = item.tellingOutput
      let answers = [item.a[place], item.b[place]].map { $0.shortened(to: 40) }
      return [items[item.index].name, item.agrees ? "same" : "differs"] + answers
        + [item.largest.differenceText]
    }
    return ["", "furthest apart:"]
      + TextTable(["item", "answer", "A", "B", "difference"], rows, words: 4).lines
  }
}

extension ComparedItem {
  /// The output that is shown of it: the first that does not agree, or else differs most.
  fileprivate var tellingOutput: Int {
    differences.firstIndex { !$0.agrees && $0.isLabelled }
      ?? differences.indices.max { differences[$0].largest < differences[$1].largest } ?? 0
  }
}

extension Double {
  /// A difference in as many digits as tell something, however small it is.
  var differenceText: String {
    guard isFinite else { return "∞" }
    guard self != 0 else { return "0" }
    guard self < 1e-4 else { return fixed(self < 1 ? 6 : 3) }
    let exponent = Int(log10Floor)
    let mantissa = self * Self.power(of: -exponent)
    return "\(mantissa.fixed(1))e\(exponent)"
  }

  /// The exponent of the first digit; of what is so small that it has none, the smallest.
  private var log10Floor: Double {
    var (value, exponent) = (self, 0.0)
    while value < 1, exponent > -330 { (value, exponent) = (value * 10, exponent - 1) }
    return exponent
  }

  private static func power(of exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { product, _ in product * 10 }
  }
}

extension String {
  /// The beginning of the text, so that it fits a column.
  fileprivate func shortened(to length: Int) -> String {
    count > length ? prefix(length - 1) + "…" : self
  }
}
