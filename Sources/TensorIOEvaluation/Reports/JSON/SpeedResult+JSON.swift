internal import TensorIOCore

extension SpeedResult {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member(
      "latency_ms",
      object: { writer in
        for stage in stages { writer.member(stage.name, object: stage.writeMembers) }
      })
    if let memory { writer.member("memory_mb", memory / (1 << 20)) }
    if let memory { writer.member("memory_bytes", memory) }
    if let firstRun { writer.member("first_run_ms", number: firstRun) }
    if let rate { writer.member("rate", number: rate) }
    writer.member("seconds", number: seconds)
    writer.member("workers", workers)
    writer.list("latency_histogram", histogram) { bin, writer in
      writer.member("lower", number: bin.lower)
      writer.member("upper", number: bin.upper)
      writer.member("count", bin.count)
    }
  }

  init(_ fields: ReportFields) throws(ModelError) {
    self.init()
    for member in try fields.fields("latency_ms").node.members.map(Array.init) ?? [] {
      stages.append(try StageSpeed(member.name, ReportFields(member.value)))
    }
    memory = try fields.optional("memory_bytes", fields.integer)
    firstRun = try fields.optional("first_run_ms", fields.number)
    rate = try fields.optional("rate", fields.number)
    seconds = try fields.number("seconds")
    workers = try fields.integer("workers")
    histogram = try fields.list("latency_histogram") { (node) throws(ModelError) in
      let fields = try ReportFields(node)
      return HistogramBin(
        lower: try fields.number("lower"), upper: try fields.number("upper"),
        count: try fields.integer("count"))
    }
  }
}

extension StageSpeed {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("mean", number: mean)
    writer.member("p50", number: p50)
    writer.member("p90", number: p90)
    writer.member("p99", number: p99)
  }

  fileprivate init(_ name: String, _ fields: ReportFields) throws(ModelError) {
    self.init(
      name: name, mean: try fields.number("mean"), p50: try fields.number("p50"),
      p90: try fields.number("p90"), p99: try fields.number("p99"))
  }
}
