internal import TensorIOCore
internal import TensorIOEvaluation

extension ComparisonReport {
  /// Writes the members that scripts read.
  func write(to writer: inout JSONWriter) {
    writer.member("a", comparison.a.bundle.path)
    writer.member("b", comparison.b.bundle.path)
    writer.key("threads")
    writer.numbers([threads.a, threads.b])
    writer.member("count", result.count)
    writer.member("errors", result.failed)
    if let agreement = result.agreement { writer.member("agreement", agreement) }
    writeOutputs("output_agreement", to: &writer) { $0.agreement ?? 0 }
    writeOutputs("max_difference", to: &writer) { $0.largest }
    writeOutputs("mean_difference", to: &writer) { $0.mean }
    if let ratio = result.speedRatio { writer.member("speed_ratio", ratio.toThousandths) }
    writer.member(
      "latency_ms",
      object: { writer in
        writer.key("a")
        writer.write(result.speedA)
        writer.key("b")
        writer.write(result.speedB)
      })
    writer.member(
      "items",
      array: { writer in
        for item in result.worst { write(item, to: &writer) }
      })
    writer.member(
      "failures",
      array: { writer in
        for item in failed { writeFailures(of: item, to: &writer) }
      })
  }

  private func writeOutputs(
    _ name: String, to writer: inout JSONWriter,
    _ value: (ComparisonResult.Output) -> Double
  ) {
    writer.member(
      name,
      object: { writer in
        for output in result.outputs { writer.member(output.name, value(output)) }
      })
  }

  private func write(_ item: ComparedItem, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("input", items[item.index].name)
      writer.member("agrees", item.agrees)
      writer.member("difference", item.largest)
      for (name, answers) in [("a", item.a), ("b", item.b)] {
        writer.member(
          name,
          object: { writer in
            for (pair, answer) in zip(comparison.pairs, answers) {
              writer.member(pair.name, answer)
            }
          })
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
