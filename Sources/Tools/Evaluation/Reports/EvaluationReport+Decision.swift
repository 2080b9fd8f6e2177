import TensorIOBundle
package import TensorIOJSON

// The keys of a report with what a decision rests on: verdict, uncertainty, slices, comparison and items.

extension ConfidenceInterval {
  private struct Members: Sendable {
    var low = 0.0
    var high = 0.0
    var method = Method.bootstrap
  }

  private static let membersFormat = ObjectFormat("an interval", schema: "interval", Members()) {
    Field("low", \.low, .anyNumber, "The lower end.")
    Field("high", \.high, .anyNumber, "The upper end.")
    Field("method", \.method, .choice(), "How it is computed.")
  }

  static let format: ValueFormat<ConfidenceInterval> = membersFormat.value.converted(
    { (members, _, _) -> ConfidenceInterval? in
      ConfidenceInterval(low: members.low, high: members.high, method: members.method)
    }, back: { Members(low: $0.low, high: $0.high, method: $0.method) })
}

extension Verdict {
  static let format = ObjectFormat("a verdict", schema: "verdict", Verdict()) {
    Field.derived("passed", .boolean, "Whether all gates pass.") { $0.passes }
    Field.derived("headline", .string, "The result and the reason.") { $0.headline }
    Field(
      "gates", \.outcomes, .list(of: Gate.Outcome.format, "objects"), default: [],
      "The gates and their outcomes.")
  }
}

extension Gate.Outcome {
  private struct Members: Sendable {
    var gate = ""
    var values: [Double] = []
    var unit = MetricValue.Unit.number
    var limit = 0.0
    var passes = false
    var reason: String?
    var detail: String?
  }

  private static let membersFormat = ObjectFormat("a gate", schema: "gate", Members()) {
    Field("gate", \.gate, .string, "The condition.")
    Field(
      "values", \.values, .numberRow, default: [], isAlwaysWritten: true, "The metric's values.")
    Field("unit", \.unit, .choice(), "The unit of the values.")
    Field("limit", \.limit, .anyNumber, "The value that they are compared with.")
    Field("passed", \.passes, .boolean, "Whether the condition is met.")
    Field("reason", \.reason, .string, "Why the metric has no value.")
    Field("detail", \.detail, .string, "The slices that the gate fails for.")
  }

  static let format: ValueFormat<Gate.Outcome> = membersFormat.value.converted(
    { (members, node, reader) -> Gate.Outcome? in
      guard let gate = try? Gate(members.gate) else {
        reader.reportWrongType(node, "a gate")
        return nil
      }
      var outcome = Gate.Outcome(
        gate: gate, metric: MetricValue(gate.name, values: members.values, unit: members.unit),
        limit: members.limit, reason: members.reason)
      outcome.detail = members.detail
      return outcome
    },
    back: { outcome in
      Members(
        gate: "\(outcome.gate)", values: outcome.metric.values, unit: outcome.metric.unit,
        limit: outcome.limit, passes: outcome.passes, reason: outcome.reason, detail: outcome.detail
      )
    })
}

extension SliceResult {
  static let format = ObjectFormat(
    "a slice", schema: "slice", SliceResult(name: "", count: 0, metrics: [])
  ) {
    Field("name", \.name, .string, "The attributes and their values.")
    Field("count", \.count, .integer, "The items.")
    Field("metrics", \.metrics, .metrics, "The metrics of the items.")
    Field(
      "intervals", \.metrics.intervals, .intervals, default: [], "The intervals of the metrics.")
  }
}

extension SliceFindings {
  static let format = ObjectFormat("slices", schema: "sliceFindings", SliceFindings()) {
    Field("tested", \.testedCount, .integer, "The number of slices that were tested.")
    Field(
      "found", \.findings, .list(of: SliceFinding.format.value, "objects"), default: [],
      isAlwaysWritten: true, "The slices that are worse by more than chance.")
  }
}

extension SliceFinding {
  fileprivate static let format = ObjectFormat(
    "a finding", schema: "sliceFinding",
    SliceFinding(
      slice: SliceResult(name: "", count: 0, metrics: []), measure: "", value: 0, reference: 0,
      probability: 0)
  ) {
    Field("name", \.slice.name, .string, "The attributes and their values.")
    Field("count", \.slice.count, .integer, "The items.")
    Field("measure", \.measure, .string, "What was compared.")
    Field("value", \.value, .anyNumber, "The measure of the slice.")
    Field("others", \.reference, .anyNumber, "The measure of what it is compared with.")
    Field(
      "probability", \.probability, .anyNumber,
      "The probability of the difference by chance, adjusted for the number of tests.")
    Field("metrics", \.slice.metrics, .metrics, "The metrics of the items.")
    Field(
      "intervals", \.slice.metrics.intervals, .intervals, default: [],
      "The intervals of the metrics.")
  }
}

extension BaselineComparison {
  /// Returns the comparison of a result as JSON, as in a report.
  package static func json(of result: EvaluationResult) -> [UInt8] {
    var writer = JSONWriter(.indented)
    if let comparison = result.comparison { format.write(comparison, &writer) }
    return writer.bytes + Array("\n".utf8)
  }

  /// Writes the comparison of a result as a member of an object.
  package static func writeMember(
    _ name: String, of result: EvaluationResult, to writer: inout JSONWriter
  ) {
    guard let comparison = result.comparison else { return }
    writer.key(name)
    format.write(comparison, &writer)
  }

  static let format = ObjectFormat(
    "a comparison", schema: "comparison", BaselineComparison(name: "")
  ) {
    Field("baseline", \.name, .string, "The baseline.")
    Field("count", \.count, .integer, "The items of both.")
    Field(
      "same_items", \.hasSameItems, .boolean, default: true, isAlwaysWritten: true,
      "Whether both have the same items.")
    Field(
      "changes", \.changes, .list(of: Change.format.value, "objects"), default: [],
      "The changes of metrics.")
    Field.derived("regression_count", .integer, "The items that got wrong.") {
      $0.regressions?.count
    }
    Field.derived("fix_count", .integer, "The items that got right.") {
      $0.regressions == nil ? nil : $0.fixes.count
    }
    Field(
      "regressions", \.regressions, .list(of: Flip.format.value, "objects"),
      "The items that only the baseline gets right.")
    Field(
      "fixes", \.fixes, .list(of: Flip.format.value, "objects"), default: [],
      "The items that only the model gets right.")
    Field.derived(
      "per_class", .list(of: ClassFlips.format.value, "objects"), "The changes by class."
    ) { $0.classes.isEmpty ? nil : $0.classes }
    Field(
      "slices", \.slices, SliceFindings.format.value, default: SliceFindings(),
      "The slices that got worse.")
  }
}

extension BaselineComparison.Change {
  fileprivate static let format = ObjectFormat(
    "a change", schema: "change",
    BaselineComparison.Change(name: "", baseline: 0, value: 0)
  ) {
    Field("metric", \.name, .string, "The metric.")
    Field("baseline", \.baseline, .anyNumber, "The value of the baseline.")
    Field("value", \.value, .anyNumber, "The value of the model.")
    Field(
      "interval", \.interval, ConfidenceInterval.format, "The interval of the difference.")
    Field(
      "probability", \.probability, .anyNumber, "The probability of the difference by chance.")
    Field("verdict", \.verdict, .choice(), "What the change is.")
  }
}

extension BaselineComparison.Flip {
  fileprivate static let format = ObjectFormat(
    "an item", schema: "flip",
    BaselineComparison.Flip(name: "", truth: "", baseline: "", prediction: "")
  ) {
    Field("name", \.name, .string, "The item in the dataset.")
    Field("truth", \.truth, .string, "The ground truth.")
    Field("baseline", \.baseline, .string, "The prediction of the baseline.")
    Field("prediction", \.prediction, .string, "The prediction of the model.")
    Field("image", \.imagePath, .string, "The path of its image.")
  }
}

extension BaselineComparison.ClassFlips {
  fileprivate static let format = ObjectFormat(
    "a class", schema: "classFlips",
    BaselineComparison.ClassFlips(label: "", regressions: 0, fixes: 0)
  ) {
    Field("label", \.label, .string, "The class.")
    Field("regressions", \.regressions, .integer, "The items that got wrong.")
    Field("fixes", \.fixes, .integer, "The items that got right.")
  }
}

extension OperatingPoint {
  static let format = ObjectFormat(
    "an operating point", schema: "operatingPoint",
    OperatingPoint(label: "", threshold: 0, precision: 0, recall: 0, method: .f1)
  ) {
    Field("label", \.label, .string, "The class; empty for all together.")
    Field("threshold", \.threshold, .anyNumber, "The smallest score, or the largest distance.")
    Field("precision", \.precision, .anyNumber, "The fraction of predictions that are right.")
    Field("recall", \.recall, .anyNumber, "The fraction of examples that are found.")
    Field.derived("f1", .anyNumber, "Their harmonic mean.") { $0.f1 }
    Field("chosen_by", \.method, .choice(), "How the threshold is chosen.")
    Field("cost", \.cost, .anyNumber, "The mean cost of an item.")
  }
}

extension ErrorCost {
  static let format = ObjectFormat(
    "a kind of error", schema: "errorCost",
    ErrorCost(truth: "", prediction: "", count: 0, cost: 0)
  ) {
    Field("truth", \.truth, .string, "The true label.")
    Field("prediction", \.prediction, .string, "The predicted label.")
    Field("count", \.count, .integer, "The number of errors.")
    Field("cost", \.cost, .anyNumber, "The cost of one.")
  }
}

extension EvaluationIdentity {
  static let format = ObjectFormat("an identity", schema: "identity", EvaluationIdentity()) {
    Field("model", \.model, .string, default: "", "The digest of model, labels and description.")
    Field("description", \.description, .string, default: "", "The digest of `model.json`.")
    Field("data", \.data, .string, default: "", "The digest of the data.")
    Field("runtime", \.runtime, .string, default: "", "The runtime and its version.")
  }
}

extension ItemOutcome {
  static let format = ObjectFormat("an item", schema: "item", ItemOutcome(name: "")) {
    Field("name", \.name, .string, "The item in the dataset.")
    Field("truth", \.truth, .string, default: "", "The ground truth.")
    Field("prediction", \.prediction, .string, default: "", "The prediction.")
    Field("correct", \.isCorrect, .boolean, "Whether it is correct.")
    Field("confidence", \.confidence, .anyNumber, "The score of the prediction.")
    Field("loss", \.loss, .anyNumber, "How wrong it is.")
    Field(
      "attributes", \.attributes, .dictionary(of: .string), default: [:],
      "The values of its attributes.")
    Field("image", \.imagePath, .string, "The path of its image.")
  }
}
