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

  /// The name of the metric.
  public let name: String
  /// The comparison.
  public let comparison: Comparison
  /// The threshold.
  public let threshold: Double

  /// Creates a gate.
  public init(_ name: String, _ comparison: Comparison, _ threshold: Double) {
    self.name = name
    self.comparison = comparison
    self.threshold = threshold
  }

  /// Parses `NAME OP NUMBER`, where the number may end with a percent sign.
  ///
  /// - Throws: `ModelError.invalidGate`.
  public init(_ text: String) throws(ModelError) {
    let name = text.prefix { !"<>=".contains($0) }
    let rest = text[name.endIndex...]
    // `allCases` lists `>=` before `>`, so that the longer operator wins.
    guard let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }),
      let threshold = Self.number(rest.dropFirst(comparison.rawValue.count)), !name.trimmed.isEmpty
    else { throw ModelError(.input, .invalidGate(text)) }
    self.init(name.trimmed, comparison, threshold)
  }

  private static func number(_ text: Substring) -> Double? {
    let text = text.trimmed
    guard text.hasSuffix("%") else { return Double(text).finite }
    let digits = text.dropLast().trimmed
    // Parsing `99.9e-2` gives exactly 0.999; dividing 99.9 by 100 may not.
    return (Double(digits + "e-2") ?? Double(digits).map { $0 / 100 }).finite
  }

  /// Returns whether a value satisfies the condition; NaN never does.
  public func passes(_ value: Double) -> Bool {
    switch comparison {
    case .atLeast: value >= threshold
    case .atMost: value <= threshold
    case .equal: value == threshold
    case .above: value > threshold
    case .below: value < threshold
    }
  }

  /// Throws an error unless the gate's metric is one of the metrics that an evaluation may report.
  ///
  /// - Throws: `ModelError.unknownMetric`.
  package func validate(against names: [String]) throws(ModelError) {
    guard names.contains(name) else { throw ModelError(.input, .unknownMetric(name, known: names)) }
  }

  /// Evaluates the gate against the metric with its name, all values of which must pass.
  ///
  /// - Throws: `ModelError.unknownMetric`.
  public func evaluate(_ metrics: [MetricValue]) throws(ModelError) -> Outcome {
    guard let metric = metrics.first(where: { $0.name == name }) else {
      throw ModelError(.input, .unknownMetric(name, known: metrics.map(\.name)))
    }
    return Outcome(gate: self, metric: metric)
  }

  /// The outcome of evaluating a gate.
  public struct Outcome: Sendable, Hashable {
    /// The gate.
    public let gate: Gate
    /// The metric with the gate's name.
    public let metric: MetricValue

    /// Whether the metric has values and all of them pass.
    public var passes: Bool {
      !metric.values.isEmpty && metric.values.allSatisfy(gate.passes)
    }
  }
}

extension Gate: CustomStringConvertible {
  /// The gate as text.
  public var description: String { "\(name) \(comparison.rawValue) \(threshold)" }
}

extension Gate.Outcome: CustomStringConvertible {
  /// One line with the gate and the values of the metric.
  public var description: String {
    let values = metric.values.map { "\($0)" }.joined(separator: ", ")
    return "\(gate): \(passes ? "passed" : "failed") with \(values.isEmpty ? "no value" : values)"
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
      invalid gate '\(text, as: "gate")'; expected NAME OP NUMBER, such as 'top1>=0.97' or 'eer<2%'
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
