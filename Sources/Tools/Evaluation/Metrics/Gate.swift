public import TensorIOBundle
import TensorIOSystem

/// A condition on a metric, such as `top1>=0.97`.
///
/// ```swift
/// import TensorIOEvaluation
///
/// var metric = ClassificationMetric()
/// try metric.add([0.1, 0.7, 0.2], groundTruth: 1)
/// let outcome = try Gate("top1 >= 97%").evaluate(metric.values)
/// if !outcome.passes { print(outcome) }
/// ```
public struct Gate: Sendable, Hashable {
  /// A comparison of a metric with a threshold.
  public enum Comparison: String, Sendable, Hashable, CaseIterable {
    /// At least the threshold.
    case atLeast = ">="
    /// At most the threshold.
    case atMost = "<="
    /// Exactly the threshold.
    case equal = "=="
    /// Greater than the threshold.
    case above = ">"
    /// Less than the threshold.
    case below = "<"
  }

  /// What a threshold is relative to.
  public enum Reference: String, Sendable, Hashable, CaseIterable {
    /// Nothing: the threshold is a value of the metric.
    case zero
    /// The value of a baseline, to which the threshold is added.
    case baseline
    /// The value of a baseline, of which the threshold is a part; percentage points for a metric that is a
    /// fraction.
    case partOfBaseline
  }

  /// The name of the metric, with a class or a slice in brackets: `recall[cat]`, `top1[site=A]`.
  public let name: String
  /// The comparison.
  public let comparison: Comparison
  /// The threshold.
  public let threshold: Double
  /// What the threshold is relative to.
  public let reference: Reference

  /// Creates a gate.
  public init(
    _ name: String, _ comparison: Comparison, _ threshold: Double, relativeTo reference: Reference
  ) {
    self.name = name
    self.comparison = comparison
    self.threshold = threshold
    self.reference = reference
  }

  /// Creates a gate whose threshold is a value of the metric.
  public init(_ name: String, _ comparison: Comparison, _ threshold: Double) {
    self.init(name, comparison, threshold, relativeTo: .zero)
  }

  /// Parses `NAME OP NUMBER` or `NAME OP baseline±NUMBER`, where the number may end with a percent sign.
  ///
  /// `NAME OP ±NUMBERpt` is a shorter form of `NAME OP baseline±NUMBER%`.
  ///
  /// The name may have a class or a slice in brackets: `recall[cat]>=0.9`, `top1[site=A]>=baseline-0.5%`.
  ///
  /// - Throws: `ModelError.invalidGate`.
  public init(_ text: String) throws(ModelError) {
    let bracket = text.firstIndex(of: "[")
    let subsetEnd = bracket.flatMap { start in
      // A slice contains an equals sign, and the operator follows its bracket.
      text[start...].firstIndex(of: "]").map { text.index(after: $0) }
    }
    let start = text.firstIndex(where: "<>=".contains) ?? text.endIndex
    let isInside = bracket.map { $0 < start } ?? false
    let end = isInside ? subsetEnd.flatMap { text[$0...].firstIndex(where: "<>=".contains) } : start
    let rest = text[(end ?? text.endIndex)...]
    let name = text[..<(end ?? text.endIndex)].trimmed
    // `allCases` lists `>=` before `>`, so that the longer operator wins.
    guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
      let (threshold, reference) = Self.threshold(rest.dropFirst(comparison.rawValue.count)),
      !name.isEmpty, !name.hasPrefix("[")
    else { throw ModelError(.input, .invalidGate(text)) }
    self.init(name, comparison, threshold, relativeTo: reference)
  }

  private static func threshold(_ text: Substring) -> (Double, Reference)? {
    let text = text.trimmed
    if text.hasSuffix(pointsName) {
      // Points are relative by themselves: "-0.5pt" is "baseline-0.5%".
      let amount = number(text.dropLast(pointsName.count) + "%")
      return amount.map { ($0, .partOfBaseline) }
    }
    guard text.hasPrefix(baselineName) else { return number(text[...]).map { ($0, .zero) } }
    let offset = text.dropFirst(baselineName.count).trimmed
    guard let sign = offset.first else { return (0, .baseline) }
    guard "+-".contains(sign), let amount = number(offset.dropFirst()), amount >= 0 else {
      return nil
    }
    return (sign == "-" ? -amount : amount, offset.hasSuffix("%") ? .partOfBaseline : .baseline)
  }

  private static let baselineName = "baseline"
  /// The end of a number of percentage points by which a metric may change.
  private static let pointsName = "pt"

  /// The name of the metric without the class or the slice.
  package var metricName: String { subset == nil ? name : String(name.prefix { $0 != "[" }) }

  /// The class or the slice; `nil` for all items.
  package var subset: String? {
    guard let start = name.firstIndex(of: "["), name.hasSuffix("]") else { return nil }
    return String(name[name.index(after: start)...].dropLast())
  }

  private static func number(_ text: Substring) -> Double? {
    let text = text.trimmed
    guard text.hasSuffix("%") else { return Double(text).finite }
    let digits = text.dropLast().trimmed
    // Parsing `99.9e-2` gives exactly 0.999; dividing 99.9 by 100 may not.
    return (Double(digits + "e-2") ?? Double(digits).map { $0 / 100 }).finite
  }

  /// Returns whether a value satisfies the condition; NaN never does.
  ///
  /// A threshold that is relative to a baseline counts as a value.
  public func passes(_ value: Double) -> Bool { passes(value, limit: threshold) }

  func passes(_ value: Double, limit: Double) -> Bool {
    switch comparison {
    case .atLeast: value >= limit
    case .atMost: value <= limit
    case .equal: value == limit
    case .above: value > limit
    case .below: value < limit
    }
  }

  /// Returns the limit of a metric; `nil` if it is relative to a baseline, and there is none.
  func limit(of metric: MetricValue, baseline: Double?) -> Double? {
    guard reference != .zero else { return threshold }
    guard let baseline else { return nil }
    let offset =
      reference == .partOfBaseline && metric.unit != .fraction ? baseline * threshold : threshold
    // The difference of equal numbers may be off by its last digit.
    let slack = 1e-12 * max(1, abs(baseline))
    switch comparison {
    case .atLeast, .below: return baseline + offset - slack
    case .atMost, .above: return baseline + offset + slack
    case .equal: return baseline + offset
    }
  }

  /// Throws an error unless the gate's metric is one of the metrics that an evaluation may report.
  ///
  /// - Throws: `ModelError.unknownMetric`.
  package func validate(against names: [String]) throws(ModelError) {
    guard names.contains(metricName) else {
      throw ModelError(.input, .unknownMetric(metricName, known: names))
    }
  }

  /// Evaluates the gate against the metric with its name, all values of which must pass.
  ///
  /// - Throws: `ModelError.unknownMetric`.
  public func evaluate(_ metrics: [MetricValue]) throws(ModelError) -> Outcome {
    guard let metric = metrics.first(where: { $0.name == name }) else {
      throw ModelError(.input, .unknownMetric(name, known: metrics.map(\.name)))
    }
    return Outcome(gate: self, metric: metric, limit: threshold)
  }

  /// The outcome of evaluating a gate.
  public struct Outcome: Sendable, Hashable {
    /// The gate.
    public let gate: Gate
    /// The metric with the gate's name.
    public let metric: MetricValue
    /// The value that the metric is compared with; NaN if it is relative to a baseline that has none.
    public let limit: Double
    /// The reason why the metric has no value; `nil` if it has one.
    public let reason: String?
    /// The slices that a gate on slices fails for; `nil` if it passes.
    public package(set) var detail: String?

    /// Creates an outcome.
    init(gate: Gate, metric: MetricValue, limit: Double, reason: String? = nil) {
      (self.gate, self.metric, self.limit, self.reason) = (gate, metric, limit, reason)
    }

    /// Whether the metric has values and all of them pass.
    public var passes: Bool {
      !metric.values.isEmpty && metric.values.allSatisfy { gate.passes($0, limit: limit) }
    }
  }
}

extension Gate {
  /// Whether the gate has a meaning only in comparison with another result.
  package var requiresBaseline: Bool {
    reference != .zero || BaselineComparison.metricNames.contains(name)
  }
}

extension Gate: CustomStringConvertible {
  /// The gate as text.
  public var description: String {
    // Rounded, because a hundred times 0.007 has 17 digits.
    let percentage = "\((threshold.magnitude * 1e8).rounded() / 1e6)"
    let text =
      switch reference {
      case .zero: "\(threshold)"
      case .baseline where threshold == 0: Self.baselineName
      case .baseline: "\(Self.baselineName) \(sign) \(threshold.magnitude)"
      case .partOfBaseline:
        "\(Self.baselineName) \(sign) \(percentage.hasSuffix(".0") ? String(percentage.dropLast(2)) : percentage)%"
      }
    return "\(name) \(comparison.rawValue) \(text)"
  }

  private var sign: String { threshold < 0 ? "-" : "+" }
}

extension Gate.Outcome: CustomStringConvertible {
  /// One line with the gate and the values of the metric.
  public var description: String {
    let values = metric.values.map { "\($0)" }.joined(separator: ", ")
    let suffix = reason.map { "; \($0)" } ?? ""
    return "\(gate): \(passes ? "passed" : "failed") with "
      + (values.isEmpty ? "no value" : values) + suffix
  }
}

extension ModelError {
  /// A text is not a gate.
  public static let invalidGate = Code("invalid-gate")
  /// An evaluation does not report the metric of a gate.
  public static let unknownMetric = Code("unknown-metric")
}

extension ModelError.Reason {
  /// A text that is not `NAME OP NUMBER`.
  static func invalidGate(_ text: String) -> Self {
    Self(
      ModelError.invalidGate,
      """
      invalid gate '\(text, as: "gate")'; expected NAME OP NUMBER, such as 'top1>=0.97', 'eer<2%', \
      'recall[cat]>=0.9', 'top1[site=A]>=0.9' or 'top1>=baseline-0.5%'
      """)
  }

  /// A gate whose metric is not among the known ones.
  static func unknownMetric(_ name: String, known: [String]) -> Self {
    Self(ModelError.unknownMetric, "unknown metric '\(name, as: "metric")'; \(hint(name, known))")
  }

  private static func hint(_ name: String, _ known: [String]) -> String {
    if let match = Spelling.closestMatch(to: name, among: known) {
      return "did you mean '\(match)'?"
    }
    if let synonym = synonyms[name.lowercased()], known.contains(synonym) {
      return "did you mean '\(synonym)'?"
    }
    guard !known.isEmpty else { return "there are no metrics" }
    let performance = Set(PerformanceResult.metricNames)
    let quality = known.filter { !performance.contains($0) }
    let list = (quality.isEmpty ? known : quality).map { "'\($0)'" }.joined(separator: ", ")
    let hasBoth = !quality.isEmpty && quality.count < known.count
    return "known metrics: \(list)" + (hasBoth ? ", and those of latency and memory" : "")
  }

  /// Metrics by the names that other tools give them.
  private static let synonyms = [
    "accuracy": "top1", "acc": "top1", "auc": "roc_auc", "ap": "map", "iou": "miou",
    "loss": "log_loss",
    "r_squared": "r2",
  ]
}

extension Double? {
  /// The number if it is finite, otherwise `nil`.
  fileprivate var finite: Double? { flatMap { $0.isFinite ? $0 : nil } }
}
