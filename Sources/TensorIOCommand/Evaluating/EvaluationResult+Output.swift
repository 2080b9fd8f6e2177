internal import TensorIOCore
internal import TensorIOEvaluation

extension EvaluationResult {
  /// How many labels people want to read about.
  private static let classLimit = 40

  /// The evaluation as people read it.
  var lines: [String] {
    let failed = errors.isEmpty ? "" : ", \(errors.count) failed"
    var facts = figures.map { ($0.name, $0.values.map { $0.fixed(4) }.joined(separator: ", ")) }
    if let mean = speed.stages.last?.mean {
      facts.append(("latency", "\(mean.fixed(3)) ms on average"))
    }
    if let rate = speed.rate { facts.append(("rate", "\(rate.fixed(1)) a second")) }
    return ["\(model.path) on \(data): \(count) examples\(failed)"] + HelpPage.columns(facts)
      + classLines
  }

  private var classLines: [String] {
    guard (1...Self.classLimit).contains(classes.count) else { return [] }
    return [""]
      + HelpPage.columns(
        classes.map { result in
          let figures = result.figures.compactMap { figure in
            figure.value.map { "\(figure.name) \($0.fixed(3))" }
          }
          return (result.label, (figures + ["of \(result.count)"]).joined(separator: ", "))
        })
  }

  /// The evaluation as scripts read it.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", model.path)
      writer.member("data", data)
      writer.member("count", count)
      writer.member("errors", errors.count)
      writer.member("metrics", object: { writer in figures.forEach { $0.write(to: &writer) } })
      if !classes.isEmpty { writeClasses(to: &writer) }
      writer.member(
        "latency_ms",
        object: { writer in
          for stage in speed.stages { stage.write(to: &writer) }
        })
      if let memory = speed.memory { writer.member("memory_mb", memory / (1 << 20)) }
    }
  }

  private func writeClasses(to writer: inout JSONWriter) {
    writer.member(
      "per_class",
      array: { writer in
        for result in classes {
          writer.object { writer in
            writer.member("label", result.label)
            writer.member("count", result.count)
            result.figures.forEach { $0.write(to: &writer) }
          }
        }
      })
  }
}

extension StageSpeed {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.member(
      name,
      object: { writer in
        for (name, value) in [("p50", p50), ("p90", p90), ("p99", p99)] {
          writer.member(name, (value * 1000).rounded() / 1000)
        }
      })
  }
}

extension Figure {
  /// Writes the figure as a member, a list where it has several parts.
  func write(to writer: inout JSONWriter) {
    writer.key(name)
    if values.count == 1 { writer.value(values[0]) } else { writer.numbers(values) }
  }
}
