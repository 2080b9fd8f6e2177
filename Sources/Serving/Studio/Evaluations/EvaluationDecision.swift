import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation

/// What the result of an evaluation is checked for.
struct EvaluationDecision: Sendable {
  private let gates: [Gate]
  /// The result of another model that it is compared with, and its name.
  private let baseline: (result: EvaluationResult, name: String)?

  /// Creates a decision.
  ///
  /// - Parameters:
  ///   - gates: The conditions for passing.
  ///   - baseline: An evaluation that the result is compared with, if it has one.
  init(gates: [Gate] = [], baseline: EvaluationJob? = nil) {
    self.gates = gates
    self.baseline = baseline.flatMap { job in
      job.progress.result.map { ($0, job.bundle.name) }
    }
  }

  /// Adds the comparison with the baseline and the verdict to a result.
  ///
  /// - Throws: A ``ModelError`` if the baseline is of other data, or a metric is unknown.
  func decide(_ result: inout EvaluationResult, of plan: EvaluationPlan) throws(ModelError) {
    if let baseline {
      result.comparison = try BaselineComparison(
        result, baseline: baseline.result, name: baseline.name)
    }
    // The first of several models is what the others are compared with.
    let gates = baseline == nil ? gates.filter { !$0.requiresBaseline } : gates
    try result.evaluate(gates, baseline: baseline?.result, announced: plan.metricNames)
  }
}
