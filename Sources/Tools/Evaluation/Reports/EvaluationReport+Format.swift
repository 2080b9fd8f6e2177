public import TensorIOBundle
import TensorIOJSON
import TensorIOTasks

extension EvaluationReport {
  /// The report as JSON: an array with an object for each result.
  ///
  /// Every object is self-contained and repeats the command, date, version and machine under
  /// `report`. NaN is written as `null`, and infinities as the strings `"Infinity"` and
  /// `"-Infinity"`. Of several metrics with the same name, the first is written.
  public var json: [UInt8] {
    var writer = JSONWriter(.indented)
    let info = ReportInfo(command: command, date: date, version: toolVersion, machine: machine)
    Self.format.write(results.map { ReportEntry(result: $0, report: info) }, &writer)
    return writer.bytes + Array("\n".utf8)
  }

  /// Parses a report written by ``json``.
  ///
  /// - Throws: `ModelError` with reason `invalidJSON` if the text is not JSON, and with `invalidData`
  ///   and all errors if it is not a report.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let entries = try Self.format.read(bytes, limits: JSONLimits(bytes: JSONLimits.maxBytes))
    let info = entries.last?.report ?? ReportInfo()
    self.init(
      entries.map { $0.result }, command: info.command, date: info.date, toolVersion: info.version,
      machine: info.machine)
  }

  private static let format = ValueFormat<[ReportEntry]>.list(
    of: ReportEntry.format.value, "results")
}

/// A result, with what all results of a report have in common.
private struct ReportEntry: Sendable {
  var result = EvaluationResult(
    model: EvaluatedModel(path: "", name: "", id: "", version: ""), data: "")
  var report = ReportInfo()

  static let format = ObjectFormat("a result", schema: "result", ReportEntry()) {
    Field("model", \.result.model.path, .string, required: "a path", "The path of the bundle.")
    Field("name", \.result.model.name, .string, "The name of the bundle.")
    Field("id", \.result.model.id, .string, "The identifier of the bundle.")
    Field("version", \.result.model.version, .string, "Its version.")
    Field("data", \.result.data, .string, required: "a path", "The path of the dataset.")
    Field("count", \.result.count, .integer, "The evaluated items.")
    Field.derived("errors", .integer, "The items that could not be evaluated.") {
      $0.result.failedItems.count
    }
    Field("metrics", \.result.metrics, .metrics, "The metrics of the model.")
    Field(
      "undefined_metrics", \.result.undefinedMetrics,
      .list(of: UndefinedMetric.format.value, "objects"),
      default: [], "The metrics that cannot be computed from the model's outputs.")
    Field(
      "intervals", \.result.metrics.intervals, .intervals, default: [],
      "The intervals that contain the true values of metrics with a probability of 95 %.")
    Field(
      "without_interval", \.result.metricsWithoutInterval,
      .list(of: UndefinedMetric.format.value, "objects"),
      default: [], "The metrics whose uncertainty is unknown, with the reason.")
    Field(
      "normalizers", \.result.normalizers, .dictionary(of: .integer), default: [:],
      "The number of recordings by the normalizer of `normalized_wer` and `normalized_cer`.")
    Field("verdict", \.result.verdict, Verdict.format.value, default: Verdict(), "The gates.")
    Field(
      "slices", \.result.slices, .list(of: SliceResult.format.value, "objects"), default: [],
      "The metrics of slices.")
    Field(
      "worst_slices", \.result.worstSlices, SliceFindings.format.value, default: SliceFindings(),
      "The slices that are worse than the other items.")
    Field(
      "comparison", \.result.comparison, BaselineComparison.format.value,
      "What changed since a baseline.")
    Field(
      "identity", \.result.identity, EvaluationIdentity.format.value,
      default: EvaluationIdentity(), "The digests of model and data, and the runtime.")
    Field(
      "per_class", \.result.classes, .list(of: ClassResult.format.value, "objects"), default: [],
      "The metrics of each class.")
    PerformanceResult.fields.map { field in
      field.lifted(get: \.result.performance, set: { $0.result.performance = $1 })
    }
    Field(
      "metric_info", \.metricInfo, .metricInfo,
      "The unit and the better direction of each metric, by name.")
    Field(
      "failed", \.result.failedItems, .list(of: FailedItem.format.value, "objects"), default: [],
      "The items that could not be evaluated, with their errors.")
    Field("confusion", \.result.confusion, ConfusionResult.format, "The confusion matrix.")
    Field(
      "curves", \.result.curves, .list(of: ResultCurve.format, "objects"), default: [],
      "ROC and precision-recall curves.")
    Field(
      "duplicates", \.result.duplicates, .list(of: .strings.onOneLine, "lists of names"),
      default: [], "The items that have the same image.")
    Field(
      "operating_points", \.result.operatingPoints,
      .list(of: OperatingPoint.format.value, "objects"), default: [],
      "The best threshold of each class, and of all together.")
    Field(
      "error_costs", \.result.errorCosts, .list(of: ErrorCost.format.value.onOneLine, "objects"),
      default: [], "The kinds of errors that cost something, the most expensive first.")
    Field(
      "calibration", \.result.calibration, .list(of: CalibrationBin.format.value, "objects"),
      default: [], "The bins of the calibration curve.")
    Field(
      "samples", \.result.samples, SamplePredictions.format.value,
      "The worst and the best predictions.")
    Field(
      "items", \.result.items.outcomes, .list(of: ItemOutcome.format.value.onOneLine, "objects"),
      default: [], "The ground truth and the prediction of each item.")
    Field(
      "report", \.report, ReportInfo.format.value,
      "What all results of the report have in common.")
  }

  private var allSlices: [SliceResult] {
    result.slices + result.worstSlices.findings.map(\.slice)
      + (result.comparison?.slices.findings.map(\.slice) ?? [])
  }

  /// The units and directions of all metrics, including those of classes and slices.
  private var metricInfo: [MetricValue] {
    get { result.metrics + result.classes.flatMap(\.writtenMetrics) + allSlices.flatMap(\.metrics) }
    set {
      let known = Dictionary(newValue.map { ($0.name, $0) }) { first, _ in first }
      result.metrics.describe(as: known)
      for index in result.classes.indices { result.classes[index].metrics.describe(as: known) }
      for index in result.slices.indices { result.slices[index].metrics.describe(as: known) }
      for index in result.worstSlices.findings.indices {
        result.worstSlices.findings[index].slice.metrics.describe(as: known)
      }
      for index in result.comparison?.slices.findings.indices ?? 0..<0 {
        result.comparison?.slices.findings[index].slice.metrics.describe(as: known)
      }
    }
  }
}

/// What all results of a report have in common.
private struct ReportInfo: Sendable {
  var command = ""
  var date = ""
  var version = ""
  var machine = ""

  static let format = ObjectFormat("a report", schema: "report", ReportInfo()) {
    Field("command", \.command, .string, "The command line.")
    Field("date", \.date, .string, "The date in ISO 8601 format.")
    Field("version", \.version, .string, "The version of the program.")
    Field("machine", \.machine, .string, "The machine.")
  }
}

// MARK: Metrics

extension MetricValue {
  fileprivate func described(as other: MetricValue?) -> MetricValue {
    guard let other else { return self }
    var metric = self
    (metric.unit, metric.direction) = (other.unit, other.direction)
    return metric
  }

  /// Writes the metric as a member: a number, or an array unless it has exactly one value.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.key(name)
    if let value {
      ValueFormat<Double>.anyNumber.write(value, &writer)
    } else {
      ValueFormat.numberRow.write(values, &writer)
    }
  }

  /// Reads a metric, whose unit and direction stand elsewhere.
  fileprivate init?(_ member: JSONMember, _ reader: inout FormatReader) {
    let isList = member.value.elements != nil
    let values =
      isList
      ? reader.read(member.value, .numberRow)
      : reader.read(member.value, .anyNumber).map { [$0] }
    guard let values else { return nil }
    self.init(member.name, values: values)
  }
}

extension [MetricValue] {
  fileprivate mutating func describe(as known: [String: MetricValue]) {
    self = map { $0.described(as: known[$0.name]) }
  }

  /// The metrics that have intervals; setting it adds them to the metrics of the same names.
  var intervals: [MetricValue] {
    get { unique.filter { $0.interval != nil } }
    set {
      let known = Dictionary(newValue.map { ($0.name, $0.interval) }) { first, _ in first }
      for index in indices { self[index].interval = known[self[index].name] ?? nil }
    }
  }

  /// The first metric of each name.
  fileprivate var unique: [MetricValue] {
    var names: Set<String> = []
    return filter { names.insert($0.name).inserted }
  }
}

extension ValueFormat<[MetricValue]> {
  /// An object with the value of each metric.
  static let metrics = members(
    read: { MetricValue($0, &$1) }, write: { $0.write(to: &$1) }
  )
  .uniquelyNamed

  /// An object with the interval of each metric.
  static let intervals = members(
    read: { member, reader in
      ConfidenceInterval.format.read(member.value, &reader).map { interval in
        var metric = MetricValue(member.name, values: [])
        metric.interval = interval
        return metric
      }
    },
    write: { metric, writer in
      guard let interval = metric.interval else { return }
      writer.key(metric.name)
      ConfidenceInterval.format.onOneLine.write(interval, &writer)
    })

  /// An object with the unit and direction of each metric.
  fileprivate static let metricInfo = members(
    read: { member, reader in
      infoFormat.read(member.value, &reader).map {
        MetricValue(member.name, values: [], unit: $0.unit, direction: $0.direction)
      }
    },
    write: { metric, writer in
      writer.key(metric.name)
      infoFormat.write(metric, &writer)
    }
  )
  .uniquelyNamed

  /// A format that writes the first metric of each name, since the keys of an object are unique.
  private var uniquelyNamed: ValueFormat { converted({ metrics, _, _ in metrics }, back: \.unique) }

  private static let infoFormat = ObjectFormat(
    "the unit and direction of a metric", schema: "metricInfo", MetricValue("", values: [])
  ) {
    Field("unit", \.unit, .choice(), required: "a unit", "The unit.")
    Field("direction", \.direction, .choice(), required: "a direction", "The better direction.")
  }
}

extension ClassResult {
  /// The metrics whose names do not collide with other keys of a class.
  fileprivate var writtenMetrics: [MetricValue] {
    metrics.filter { !["label", "count", "intervals"].contains($0.name) }
  }

  fileprivate static let format = ObjectFormat(
    "a class", schema: "class", ClassResult(label: "", count: 0, metrics: []),
    others: OtherMembers(
      read: { member, result, reader in
        if let metric = MetricValue(member, &reader) { result.metrics.append(metric) }
      },
      write: { result, writer in
        for metric in result.writtenMetrics.unique { metric.write(to: &writer) }
      })
  ) {
    Field("label", \.label, .string, "The label.")
    Field("count", \.count, .integer, "The examples of the class.")
    Field(
      "intervals", \.metrics.intervals, .intervals, default: [], "The intervals of the metrics.")
  }
}

extension UndefinedMetric {
  fileprivate static let format = ObjectFormat(
    "an undefined metric", schema: "undefinedMetric", UndefinedMetric(name: "", reason: "")
  ) {
    Field("name", \.name, .string, "The metric.")
    Field("reason", \.reason, .string, "Why it cannot be computed.")
  }
}

// MARK: Items

extension FailedItem {
  static let format = ObjectFormat(
    "a failed item", schema: "failedItem",
    FailedItem(name: "", stage: .input, code: "", message: "")
  ) {
    Field("name", \.name, .string, "The item in the dataset.")
    Field("stage", \.stage, .choice(), required: "a stage", "The stage that failed.")
    Field("code", \.code, .string, "The code of the error.")
    Field("message", \.message, .string, "The message of the error.")
  }
}

// MARK: Figures

extension ConfusionResult {
  fileprivate static let format = ObjectFormat(
    "a confusion matrix", schema: "confusion", ConfusionResult(labels: [], cells: [])
  ) {
    Field("labels", \.labels, .strings, default: [], isAlwaysWritten: true, "The classes.")
    Field(
      "cells", \.cells, .list(of: .cell, "cells"), default: [], isAlwaysWritten: true,
      "The actual class, the predicted class and the count of each cell that is not 0.")
  }
  .value.checked(.wrongType) { matrix, node, reader in
    let classes = matrix.labels.indices
    let isValid = matrix.cells.allSatisfy {
      classes.contains($0.actual) && classes.contains($0.predicted)
    }
    if !isValid { reader.reportWrongType(node, "cells of the classes that are listed") }
    return isValid
  }
}

extension ValueFormat<ConfusionResult.Cell> {
  fileprivate static let cell = ValueFormat<[Int]>.list(of: .integer, "integers").converted(
    { (numbers, node, reader) -> ConfusionResult.Cell? in
      guard numbers.count == 3 else {
        reader.reportWrongType(node, "two label indices and a count")
        return nil
      }
      return ConfusionResult.Cell(actual: numbers[0], predicted: numbers[1], count: numbers[2])
    },
    back: { (cell: ConfusionResult.Cell) in [cell.actual, cell.predicted, cell.count] }
  )
  .onOneLine
}

extension ResultCurve {
  /// The curve with its coordinates in two lists.
  private struct Members: Sendable {
    var kind = Kind.roc
    var label = ""
    var area: Double?
    var x: [Double] = []
    var y: [Double] = []
    var thresholds: [Double] = []
  }

  private static let membersFormat = ObjectFormat("a curve", schema: "curve", Members()) {
    Field("kind", \.kind, .choice(), required: "a kind of curve", "The kind of curve.")
    Field("label", \.label, .string, "The class; empty for all classes.")
    Field("area", \.area, .anyNumber, "The area under the curve.")
    Field("x", \.x, .numberRow, default: [], isAlwaysWritten: true, "The horizontal coordinates.")
    Field("y", \.y, .numberRow, default: [], isAlwaysWritten: true, "The vertical coordinates.")
    Field("thresholds", \.thresholds, .numberRow, default: [], "The lowest scores that count.")
  }

  fileprivate static let format: ValueFormat<ResultCurve> = membersFormat.value.converted(
    { (curve, node, reader) -> ResultCurve? in
      guard curve.x.count == curve.y.count,
        curve.thresholds.isEmpty || curve.thresholds.count == curve.x.count
      else {
        reader.reportWrongType(node, "a curve with equal counts of x and y")
        return nil
      }
      return ResultCurve(
        curve.kind, label: curve.label, area: curve.area,
        points: curve.x.indices.map { index in
          Point(
            curve.x[index], curve.y[index],
            threshold: curve.thresholds.isEmpty ? nil : curve.thresholds[index])
        })
    },
    back: { curve in
      Members(
        kind: curve.kind, label: curve.label, area: curve.area, x: curve.points.map(\.x),
        y: curve.points.map(\.y), thresholds: curve.points.compactMap(\.threshold))
    })
}

extension CalibrationBin {
  fileprivate static let format = ObjectFormat(
    "a bin", schema: "calibrationBin", CalibrationBin(count: 0, confidence: 0, accuracy: 0)
  ) {
    Field("count", \.count, .integer, "The predictions.")
    Field("confidence", \.confidence, .anyNumber, "Their mean confidence.")
    Field("accuracy", \.accuracy, .anyNumber, "The part that is right.")
  }
}
