import TensorIOBundle
import TensorIOJSON
import TensorIOTasks

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

// MARK: Writing

extension EvaluationResult {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("model", model.path)
    writer.member("name", model.name)
    writer.member("id", model.id)
    writer.member("version", model.version)
    writer.member("data", data)
    writer.member("count", count)
    writer.member("errors", failedItems.count)
    writer.member(
      "metrics", object: { writer in metrics.forEachUniqueName { $0.write(to: &writer) } })
    writer.list("undefined_metrics", undefinedMetrics) { metric, writer in
      writer.member("name", metric.name)
      writer.member("reason", metric.reason)
    }
    writeClasses(to: &writer)
    performance.writeMembers(to: &writer)
    writeMetricInfo(to: &writer)
    writer.list("failed", failedItems) { $0.write(to: &$1) }
    if let confusion { writer.member("confusion", object: confusion.writeMembers) }
    writer.list("curves", curves) { $0.writeMembers(to: &$1) }
    writer.list("calibration", calibration) { $0.writeMembers(to: &$1) }
    writer.member("samples", object: samples.writeMembers)
  }

  private func writeClasses(to writer: inout JSONWriter) {
    writer.list("per_class", classes) { result, writer in
      writer.member("label", result.label)
      writer.member("count", result.count)
      result.writtenMetrics.forEachUniqueName { $0.write(to: &writer) }
    }
  }

  /// Writes the unit and direction of all metrics, including those of classes.
  private func writeMetricInfo(to writer: inout JSONWriter) {
    writer.member(
      "metric_info",
      object: { writer in
        (metrics + classes.flatMap(\.writtenMetrics)).forEachUniqueName { metric in
          writer.member(
            metric.name,
            object: { writer in
              writer.member("unit", metric.unit.rawValue)
              writer.member("direction", metric.direction.rawValue)
            })
        }
      })
  }
}

extension ClassResult {
  fileprivate static let reservedKeys: Set<String> = ["label", "count"]

  /// The metrics whose names do not collide with other keys of a class.
  fileprivate var writtenMetrics: [MetricValue] {
    metrics.filter { !Self.reservedKeys.contains($0.name) }
  }
}

extension MetricValue {
  /// Writes the metric as a member: a number, or an array unless it has exactly one value.
  fileprivate func write(to writer: inout JSONWriter) {
    if let value { writer.member(name, number: value) } else { writer.member(name, row: values) }
  }
}

extension [MetricValue] {
  /// Calls a closure with the first metric of each name, since the keys of an object are unique.
  fileprivate func forEachUniqueName(_ body: (MetricValue) -> Void) {
    var names: Set<String> = []
    for metric in self where names.insert(metric.name).inserted { body(metric) }
  }
}

extension JSONWriter {
  /// Writes an array of objects, unless it is empty.
  mutating func list<Value>(
    _ name: String, _ values: [Value], _ write: (Value, inout JSONWriter) -> Void
  ) {
    guard !values.isEmpty else { return }
    member(
      name,
      array: { writer in
        for value in values { writer.object { write(value, &$0) } }
      })
  }
}

// MARK: Reading

extension EvaluationResult {
  init(_ fields: ReportObjectReader) throws(ModelError) {
    let model = EvaluatedModel(
      path: try fields.string("model"), name: try fields.string("name"),
      id: try fields.string("id"), version: try fields.string("version"))
    self.init(model: model, data: try fields.string("data"))
    let info = try MetricInfo(fields.object("metric_info"))
    count = try fields.integer("count")
    metrics = try info.metrics(of: fields.object("metrics"))
    undefinedMetrics = try fields.list("undefined_metrics") { (node) throws(ModelError) in
      let fields = try ReportObjectReader(node)
      return UndefinedMetric(name: try fields.string("name"), reason: try fields.string("reason"))
    }
    classes = try fields.list("per_class") { (node) throws(ModelError) in
      let fields = try ReportObjectReader(node)
      return ClassResult(
        label: try fields.string("label"), count: try fields.integer("count"),
        metrics: try info.metrics(of: fields, excluding: ClassResult.reservedKeys))
    }
    performance = try PerformanceResult(fields)
    failedItems = try fields.list("failed", FailedItem.init)
    confusion = try fields.optional("confusion") { (key) throws(ModelError) in
      try ConfusionResult(fields.object(key))
    }
    curves = try fields.list("curves", ResultCurve.init)
    calibration = try fields.list("calibration", CalibrationBin.init)
    samples = try SamplePredictions(fields.object("samples"))
  }
}

/// The units and directions of metrics by name.
private struct MetricInfo {
  private var infoByName: [String: (unit: MetricValue.Unit, direction: MetricValue.Direction)] = [:]

  init(_ fields: ReportObjectReader) throws(ModelError) {
    for member in fields.node.members.map(Array.init) ?? [] {
      let fields = try ReportObjectReader(member.value)
      guard let unit = MetricValue.Unit(rawValue: try fields.string("unit")),
        let direction = MetricValue.Direction(rawValue: try fields.string("direction"))
      else {
        throw .unexpectedJSON(expected: "the unit and direction of a metric", node: member.value)
      }
      infoByName[member.name] = (unit, direction)
    }
  }

  func metrics(
    of fields: ReportObjectReader, excluding reserved: Set<String> = []
  ) throws(ModelError) -> [MetricValue] {
    var metrics: [MetricValue] = []
    for member in fields.node.members.map(Array.init) ?? [] where !reserved.contains(member.name) {
      let values: [Double]
      if member.value.elements != nil {
        values = try fields.numbers(member.name)
      } else {
        values = [try fields.number(member.name)]
      }
      let info = infoByName[member.name] ?? (.number, .neither)
      metrics.append(
        MetricValue(member.name, values: values, unit: info.unit, direction: info.direction))
    }
    return metrics
  }
}

extension FailedItem {
  func write(to writer: inout JSONWriter) {
    writer.member("name", name)
    writer.member("stage", stage.rawValue)
    writer.member("code", code)
    writer.member("message", message)
  }

  init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportObjectReader(node)
    guard let stage = ModelError.Stage(rawValue: try fields.string("stage")) else {
      throw .unexpectedJSON(expected: "a failed item with a known stage", node: node)
    }
    self.init(
      name: try fields.string("name"), stage: stage, code: try fields.string("code"),
      message: try fields.string("message"))
  }
}

extension ConfusionResult {
  /// Writes each cell as an array of the actual class, the predicted class and the count.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("labels", array: { writer in labels.forEach { writer.value($0) } })
    writer.member(
      "cells",
      array: { writer in
        for cell in cells { writer.numbers([cell.actual, cell.predicted, cell.count]) }
      })
  }

  init(_ fields: ReportObjectReader) throws(ModelError) {
    let labels = try fields.list("labels") { (node) throws(ModelError) in
      guard let label = node.string else {
        throw .unexpectedJSON(expected: "a label", node: node)
      }
      return label
    }
    let cells = try fields.list("cells") { (node) throws(ModelError) in
      let numbers = node.elements?.compactMap { $0.int.flatMap(Int.init(exactly:)) } ?? []
      guard numbers.count == 3, node.count == 3, labels.indices.contains(numbers[0]),
        labels.indices.contains(numbers[1])
      else { throw .unexpectedJSON(expected: "two label indices and a count", node: node) }
      return Cell(actual: numbers[0], predicted: numbers[1], count: numbers[2])
    }
    self.init(labels: labels, cells: cells)
  }
}

extension ResultCurve {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("kind", kind.rawValue)
    writer.member("label", label)
    if let area { writer.member("area", number: area) }
    writer.member("x", row: points.map(\.x))
    writer.member("y", row: points.map(\.y))
  }

  init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportObjectReader(node)
    let (x, y) = (try fields.numbers("x"), try fields.numbers("y"))
    guard let kind = Kind(rawValue: try fields.string("kind")), x.count == y.count else {
      throw .unexpectedJSON(
        expected: "a curve of a known kind with equal counts of x and y", node: node)
    }
    self.init(
      kind, label: try fields.string("label"), area: try fields.optional("area", fields.number),
      points: zip(x, y).map(Point.init))
  }
}

extension CalibrationBin {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("count", count)
    writer.member("confidence", number: confidence)
    writer.member("accuracy", number: accuracy)
  }

  init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportObjectReader(node)
    self.init(
      count: try fields.integer("count"), confidence: try fields.number("confidence"),
      accuracy: try fields.number("accuracy"))
  }
}

extension SamplePredictions {
  func writeMembers(to writer: inout JSONWriter) {
    writer.list("worst", worst) { $0.writeMembers(to: &$1) }
    writer.list("best", best) { $0.writeMembers(to: &$1) }
  }

  init(_ fields: ReportObjectReader) throws(ModelError) {
    self.init(
      worst: try fields.list("worst", SamplePrediction.init),
      best: try fields.list("best", SamplePrediction.init))
  }
}

extension SamplePrediction {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", name)
    if let imagePath { writer.member("image", imagePath) }
    writer.member("ground_truth", groundTruth)
    writer.member("prediction", prediction)
    writer.member("correct", isCorrect)
    writer.member("loss", number: loss)
    writer.list("ground_truth_boxes", groundTruthBoxes) { $0.writeMembers(to: &$1) }
    writer.list("predicted_boxes", predictedBoxes) { $0.writeMembers(to: &$1) }
  }

  fileprivate init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportObjectReader(node)
    self.init(
      name: try fields.string("name"), imagePath: try fields.optional("image", fields.string),
      groundTruth: try fields.string("ground_truth"), prediction: try fields.string("prediction"),
      isCorrect: try fields.bool("correct"), loss: try fields.number("loss"))
    groundTruthBoxes = try fields.list("ground_truth_boxes", SampleBox.init)
    predictedBoxes = try fields.list("predicted_boxes", SampleBox.init)
  }
}

extension SampleBox {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("label", label)
    writer.member("class_index", classIndex)
    if let score { writer.member("score", number: score) }
    writer.member(
      "box",
      object: { writer in
        writer.member("xmin", number: box.xmin)
        writer.member("ymin", number: box.ymin)
        writer.member("xmax", number: box.xmax)
        writer.member("ymax", number: box.ymax)
      })
  }

  fileprivate init(_ node: JSONNode) throws(ModelError) {
    let fields = try ReportObjectReader(node)
    let edges = try fields.object("box")
    let box = BoundingBox(
      xmin: try edges.number("xmin"), ymin: try edges.number("ymin"),
      xmax: try edges.number("xmax"), ymax: try edges.number("ymax"))
    self.init(
      label: try fields.string("label"), classIndex: try fields.integer("class_index"), box: box,
      score: try fields.optional("score", fields.number))
  }
}

extension PerformanceResult {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member(
      "latency_ms",
      object: { writer in
        for stage in stageLatencies { writer.member(stage.name, object: stage.writeMembers) }
      })
    if let peakMemoryBytes {
      writer.member("peak_memory_mb", peakMemoryBytes / (1 << 20))
      writer.member("peak_memory_bytes", peakMemoryBytes)
    }
    if let firstRunMilliseconds { writer.member("first_run_ms", number: firstRunMilliseconds) }
    if let throughput { writer.member("throughput", number: throughput) }
    writer.member("total_seconds", number: totalSeconds)
    writer.member("concurrency", concurrency)
    writer.list("latency_histogram", histogram) { bin, writer in
      writer.member("lower_ms", number: bin.lowerMilliseconds)
      writer.member("upper_ms", number: bin.upperMilliseconds)
      writer.member("count", bin.count)
    }
  }

  init(_ fields: ReportObjectReader) throws(ModelError) {
    self.init()
    for member in try fields.object("latency_ms").node.members.map(Array.init) ?? [] {
      stageLatencies.append(try StageLatency(member.name, ReportObjectReader(member.value)))
    }
    peakMemoryBytes = try fields.optional("peak_memory_bytes", fields.integer)
    firstRunMilliseconds = try fields.optional("first_run_ms", fields.number)
    throughput = try fields.optional("throughput", fields.number)
    totalSeconds = try fields.number("total_seconds")
    concurrency = try fields.integer("concurrency")
    histogram = try fields.list("latency_histogram") { (node) throws(ModelError) in
      let fields = try ReportObjectReader(node)
      return HistogramBin(
        lowerMilliseconds: try fields.number("lower_ms"),
        upperMilliseconds: try fields.number("upper_ms"), count: try fields.integer("count"))
    }
  }
}

extension StageLatency {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("mean", number: mean)
    writer.member("p50", number: p50)
    writer.member("p90", number: p90)
    writer.member("p99", number: p99)
  }

  fileprivate init(_ name: String, _ fields: ReportObjectReader) throws(ModelError) {
    self.init(
      name: name, mean: try fields.number("mean"), p50: try fields.number("p50"),
      p90: try fields.number("p90"), p99: try fields.number("p99"))
  }
}
