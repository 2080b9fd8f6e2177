internal import TensorIOCore
internal import TensorIOData

extension Evaluation {
  /// How many labels people want to read about.
  private static let classLimit = 40

  /// The evaluation as people read it.
  var lines: [String] {
    let failed = errors.isEmpty ? "" : ", \(errors.count) failed"
    var facts = metrics.map { ($0.name, $0.values.map { $0.fixed(4) }.joined(separator: ", ")) }
    if let mean = latencies.total.mean {
      facts.append(("latency", "\(mean.milliseconds.fixed(3)) ms on average"))
    }
    return ["\(model) on \(data.path): \(count) examples\(failed)"] + HelpPage.columns(facts)
      + classLines
  }

  private var classLines: [String] {
    guard (1...Self.classLimit).contains(classes.count) else { return [] }
    return ["", "found, of those that there are:"]
      + HelpPage.columns(classes.map { ($0.label, "\($0.correct) of \($0.count)") })
  }

  /// The evaluation as scripts read it.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", model)
      writer.member("data", data.path)
      writer.member("count", count)
      writer.member("errors", errors.count)
      writer.member("metrics", object: { writer in metrics.forEach { $0.write(to: &writer) } })
      if !classes.isEmpty { writeClasses(to: &writer) }
      writeLatencies(to: &writer)
      if let memory { writer.member("memory_mb", memory / (1 << 20)) }
    }
  }

  private func writeClasses(to writer: inout JSONWriter) {
    writer.key("per_class")
    writer.array { writer in
      for tally in classes {
        writer.object { writer in
          writer.member("label", tally.label)
          writer.member("count", tally.count)
          writer.member("top1", tally.top1)
        }
      }
    }
  }

  private func writeLatencies(to writer: inout JSONWriter) {
    writer.key("latency_ms")
    writer.object { writer in
      for (name, record) in latencies.stages {
        writer.key(name)
        writer.object { writer in record.writePercentiles(to: &writer) }
      }
    }
  }
}

extension LatencyRecord {
  fileprivate func writePercentiles(to writer: inout JSONWriter) {
    for percent in [50, 90, 99] {
      guard let duration = percentile(Double(percent)) else { continue }
      writer.member("p\(percent)", (duration.milliseconds * 1000).rounded() / 1000)
    }
  }
}

extension Metric {
  /// Writes the figure as a member, a list where it has several parts.
  func write(to writer: inout JSONWriter) {
    writer.key(name)
    if values.count == 1 { writer.value(values[0]) } else { writer.numbers(values) }
  }
}
