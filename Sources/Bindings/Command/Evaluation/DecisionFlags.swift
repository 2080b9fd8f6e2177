import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOSystem

/// What a result is checked for: gates, which determine the exit code, and slices.
struct DecisionFlags {
  static let gate = Flag(
    "gate", "METRIC>=NUMBER", "Exit with 1 if a metric fails the condition (repeatable)")
  static let slice = Flag(
    "slice", "NAME[,NAME]", "Evaluate the items of each value of attributes (repeatable)")
  static let attributes = Flag(
    "attributes", "FILE", "Read attributes of items from FILE.csv, a row for each item"
  )
  static let costs = Flag(
    "cost", "FILE", "Read what errors cost from FILE.csv: truth,prediction,cost")
  static let flags = [gate, slice, attributes, costs, BaselineFile.flag]

  private let gates: [Gate]
  /// The attributes of each `--slice`.
  private let slices: [[String]]
  private let hasBaseline: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    do throws(ModelError) {
      var gates: [Gate] = []
      for text in arguments.values(Self.gate) { gates.append(try Gate(text)) }
      self.gates = gates
    } catch {
      throw .usage("\(error)")
    }
    slices = arguments.values(Self.slice).map { $0.split(separator: ",").map { $0.trimmed } }
    guard slices.allSatisfy({ (1...2).contains($0.count) }) else {
      throw .usage("--slice takes one attribute, or two such as site,device")
    }
    hasBaseline = arguments.has(BaselineFile.flag)
  }

  /// Throws a usage error if a gate or a slice names something that an evaluation does not report.
  ///
  /// - Parameters:
  ///   - plan: The plan of the evaluation.
  ///   - isFirst: Whether no earlier model is evaluated, with which this one could be compared.
  /// - Throws: A usage error.
  func validate(for plan: EvaluationPlan, isFirst: Bool) throws(OperationError) {
    let isSliced = !slices.isEmpty || gates.contains { $0.subset?.contains("=") ?? false }
    let attributes = isSliced ? plan.attributeValues : [:]
    for name in slices.joined() { try Self.require(name, of: attributes, "--slice") }
    for gate in gates {
      if let subset = gate.subset, subset.contains("=") {
        try Self.validate(subset, of: attributes)
      } else if let label = gate.subset, let labels = try? plan.bundle.dataLabels(),
        !labels.isEmpty, !labels.contains(label), !plan.data.items.labels.contains(label)
      {
        throw .usage("--gate: no class is named '\(label)'\(Self.hint(label, labels))")
      }
      if BaselineComparison.metricNames.contains(gate.name) || gate.reference != .zero, isFirst,
        !hasBaseline
      {
        throw .usage("--gate '\(gate)' requires --baseline FILE")
      }
      guard let names = plan.metricNames else { continue }
      do throws(ModelError) {
        try gate.validate(against: names + EvaluationPlan.decisionMetricNames)
      } catch {
        throw .usage("--gate: \(error)")
      }
    }
  }

  private static func validate(
    _ slice: String, of attributes: [String: Set<String>]
  ) throws(OperationError) {
    for condition in slice.split(separator: ",") {
      let parts = condition.split(separator: "=", maxSplits: 1).map { $0.trimmed }
      guard parts.count == 2 else {
        throw .usage("--gate: invalid slice '\(slice)'; expected NAME=VALUE, such as site=A")
      }
      try require(parts[0], of: attributes, "--gate")
      let values = attributes[parts[0]] ?? []
      guard values.contains(parts[1]) else {
        let known = values.sorted()
        throw .usage(
          "--gate: no item has \(parts[0])=\(parts[1])\(hint(parts[1], known))")
      }
    }
  }

  private static func require(
    _ name: String, of attributes: [String: Set<String>], _ flag: String
  ) throws(OperationError) {
    guard attributes[name] == nil else { return }
    let known = attributes.keys.sorted()
    throw .usage(
      known.isEmpty
        ? "\(flag): the data has no attributes; add columns to a table, or use --attributes FILE"
        : "\(flag): no attribute is named '\(name)'\(hint(name, known))")
  }

  private static func hint(_ name: String, _ known: [String]) -> String {
    if let match = Spelling.closestMatch(to: name, among: known) {
      return "; did you mean '\(match)'?"
    }
    let shown = known.prefix(10).map { "'\($0)'" }.joined(separator: ", ")
    return shown.isEmpty ? "" : "; known: \(shown)\(known.count > 10 ? ", …" : "")"
  }

  /// Adds slices, the comparison with a baseline and the verdict to a result.
  ///
  /// - Parameters:
  ///   - result: The result.
  ///   - plan: Its plan.
  ///   - baseline: The result that it is compared with, and its name; `nil` without one.
  /// - Throws: A usage error if the baseline is of other data, or a metric is unknown.
  func decide(
    _ result: inout EvaluationResult, of plan: EvaluationPlan,
    baseline: (result: EvaluationResult, name: String)?
  ) throws(OperationError) {
    for attributes in slices { result.addSlices(by: attributes) }
    result.findWorstSlices()
    do throws(ModelError) {
      if let baseline {
        result.comparison = try BaselineComparison(
          result, baseline: baseline.result, name: baseline.name)
      }
      // The first of several models is what the others are compared with.
      let gates = baseline == nil ? gates.filter { !$0.requiresBaseline } : gates
      try result.evaluate(gates, baseline: baseline?.result, announced: plan.metricNames)
    } catch {
      throw .usage(
        error.code == ModelError.unknownMetric.rawValue ? "--gate: \(error)" : "\(error)")
    }
  }

  /// Reports the gates that a result fails, and returns whether it passes all.
  func isPassed(by result: EvaluationResult, _ console: Console) -> Bool {
    for outcome in result.verdict.failures {
      console.printError(
        OperationError(
          "gate-failed", "\(result.model.path): \(outcome)", exitCode: .partialFailure))
    }
    return result.verdict.passes
  }
}
