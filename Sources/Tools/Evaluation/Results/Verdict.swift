package import TensorIOBundle
import TensorIOCore

/// Whether a model passes its gates, and why not.
public struct Verdict: Sendable, Hashable {
  /// The gates and their outcomes, in the order in which they were specified.
  public internal(set) var outcomes: [Gate.Outcome] = []

  /// Creates a verdict without gates.
  public init() {}

  init(_ outcomes: [Gate.Outcome]) { self.outcomes = outcomes }

  /// Whether all gates pass.
  public var passes: Bool { outcomes.allSatisfy(\.passes) }

  /// The gates that fail.
  public var failures: [Gate.Outcome] { outcomes.filter { !$0.passes } }
}

extension Verdict {
  /// The word for whether a model passes.
  static func word(_ passes: Bool) -> String { passes ? "PASSED" : "FAILED" }

  /// One sentence with the result and the reason; `nil` without gates.
  package var headline: String? {
    guard !outcomes.isEmpty else { return nil }
    let count = "\(outcomes.count - failures.count) of \(outcomes.count) gates pass"
    guard let first = failures.first else { return "\(Self.word(true)): \(count)" }
    let others = failures.count > 1 ? ", and \(failures.count - 1) more" : ""
    return "\(Self.word(false)): \(first.sentence)\(others); \(count)"
  }
}

extension Gate.Outcome {
  /// The value and the limit as the tables of a report round them, or with all digits if they would look equal.
  package var sentence: String {
    guard !metric.values.isEmpty else {
      return "\(gate) has no value; \(reason ?? "it is unknown")"
    }
    guard !limit.isNaN else { return "\(gate): \(reason ?? "the baseline has no value")" }
    let relation =
      switch gate.comparison {
      case .atLeast: passes ? "at least" : "less than"
      case .atMost: passes ? "at most" : "more than"
      case .equal: passes ? "equal to" : "not equal to"
      case .above: passes ? "more than" : "not more than"
      case .below: passes ? "less than" : "not less than"
      }
    let origin = gate.reference == .zero ? "" : " (\(gate.comparison.rawValue) \(limitOrigin))"
    let detail = detail.map { " (\($0))" } ?? ""
    return "\(gate.name) is \(valueText), \(relation) \(limitText)\(origin)\(detail)"
  }

  /// The value as tables round it.
  package var valueText: String {
    if let reason, metric.values.isEmpty { return reason }
    guard isRoundedAway, let value = metric.value else { return metric.formatted }
    return "\(value)"
  }

  /// The limit as tables round it.
  package var limitText: String { isRoundedAway ? "\(limit)" : metric.unit.format(limit) }

  /// The condition without the name of the metric.
  package var condition: String {
    let text = String("\(gate)".dropFirst(gate.name.count + 1))
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private var limitOrigin: String {
    String(condition.dropFirst(gate.comparison.rawValue.count + 1))
  }

  /// Whether the value and the limit differ, and look equal when rounded.
  private var isRoundedAway: Bool {
    guard let value = metric.value, value != limit, gate.reference == .zero else { return false }
    return metric.unit.format(value) == metric.unit.format(limit)
  }
}

// MARK: Evaluating gates

extension EvaluationResult {
  /// The metrics of the worst slice.
  package static let worstSliceName = "worst_slice"

  /// Evaluates gates, and keeps their outcomes as the verdict.
  ///
  /// Slices that gates name are added to the result.
  ///
  /// - Parameters:
  ///   - gates: The gates.
  ///   - baseline: The result that limits can be relative to.
  ///   - announced: The names of the metrics that the evaluation may report; `nil` if they are unknown.
  /// - Throws: A `ModelError` if a metric is unknown.
  package mutating func evaluate(
    _ gates: [Gate], baseline: EvaluationResult? = nil, announced: [String]? = nil
  ) throws(ModelError) {
    for gate in gates {
      if let subset = gate.subset, subset.contains("=") { addSlice(named: subset) }
    }
    let values = gatedMetrics
    let others = baseline.map { baseline in
      var baseline = baseline
      for gate in gates where gate.reference != .zero {
        if let subset = gate.subset, subset.contains("=") { baseline.addSlice(named: subset) }
      }
      return baseline.gatedMetrics
    }
    var outcomes: [Gate.Outcome] = []
    for gate in gates {
      var outcome = try outcome(of: gate, values, others, announced)
      if !outcome.passes { outcome.detail = detail(of: gate) }
      outcomes.append(outcome)
    }
    verdict = Verdict(outcomes)
  }

  private func outcome(
    of gate: Gate, _ values: [MetricValue], _ others: [MetricValue]?, _ announced: [String]?
  ) throws(ModelError) -> Gate.Outcome {
    guard let metric = values[gate.name] else {
      guard let reason = reasonWhyUndefined(gate, announced) else {
        throw ModelError(.input, .unknownMetric(gate.name, known: values.map(\.name)))
      }
      return Gate.Outcome(
        gate: gate, metric: MetricValue(gate.name, values: []), limit: gate.threshold,
        reason: reason)
    }
    let other = others?[gate.name]?.value
    let isComparable = comparison?.hasSameItems ?? true
    guard let limit = gate.limit(of: metric, baseline: isComparable ? other : nil) else {
      let reason =
        if !isComparable { "the baseline has other items" } else {
          others == nil ? "there is no baseline" : "the baseline has no value of it"
        }
      return Gate.Outcome(
        gate: gate, metric: MetricValue(gate.name, values: metric.values, unit: metric.unit),
        limit: .nan, reason: reason)
    }
    return Gate.Outcome(
      gate: gate, metric: MetricValue(gate.name, values: metric.values, unit: metric.unit),
      limit: limit)
  }

  /// Returns the slices that a gate on slices is about.
  private func detail(of gate: Gate) -> String? {
    let found =
      switch gate.name {
      case Self.worstSliceName: worstSlices.findings
      case BaselineComparison.sliceRegressionsName: comparison?.slices.findings ?? []
      default: [SliceFinding]()
      }
    return found.isEmpty ? nil : found.map(\.sentence).joined(separator: "; ")
  }

  /// Returns the reason why the metric of a gate has no value; `nil` if it is unknown.
  private func reasonWhyUndefined(_ gate: Gate, _ announced: [String]?) -> String? {
    if let metric = undefinedMetrics.first(where: { $0.name == gate.metricName }) {
      return metric.reason
    }
    if BaselineComparison.metricNames.contains(gate.name) {
      return comparison == nil
        ? "there is no baseline" : "the items are not right or wrong, or the baseline has none"
    }
    if gate.name == Self.worstSliceName { return "no slice was tested" }
    let known = announced?.contains(gate.metricName) ?? false
    guard known || gate.subset != nil else { return nil }
    if count == 0 { return "no item was evaluated" }
    return gate.subset.map { "no item of '\($0)' has a value of it" }
      ?? "'\(gate.name)' is undefined for this data"
  }

  /// The metrics that gates can name: those of all items, classes, slices and the comparison with a baseline.
  package var gatedMetrics: [MetricValue] {
    let subsets =
      classes.map { ($0.label, $0.metrics) } + slices.map { ($0.name, $0.metrics) }
    return metrics + performance.metrics + performance.stageMetrics
      + (comparison?.metrics ?? []) + [worstSlice].compactMap(\.self)
      + subsets.flatMap { name, metrics in metrics.map { $0.renamed("\($0.name)[\(name)]") } }
  }

  /// The fraction of correct items in the worst slice; of all items if no slice is worse.
  private var worstSlice: MetricValue? {
    let areCorrect = items.outcomes.compactMap(\.isCorrect)
    guard worstSlices.testedCount > 0, areCorrect.count == items.outcomes.count else { return nil }
    let found = worstSlices.findings.filter { $0.measure == SliceFinding.accuracy }.map(\.value)
    let overall = ratio(areCorrect.count { $0 }, of: areCorrect.count)
    return .fraction(Self.worstSliceName, found.min() ?? overall)
  }
}

extension MetricValue {
  /// Returns the metric under another name.
  func renamed(_ name: String) -> MetricValue {
    var metric = MetricValue(name, values: values, unit: unit, direction: direction)
    metric.interval = interval
    return metric
  }
}
