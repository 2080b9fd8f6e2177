package import TensorIOBundle
package import TensorIOCore

/// Scores the outputs of two models on the same items, to find those that only one of them gets right.
package struct GroundTruthComparison {
  private struct Side {
    let plan: EvaluationPlan
    let evaluators: [any Evaluator]
    var accumulator: EvaluationAccumulator

    init(_ plan: EvaluationPlan, _ model: Model) throws(ModelError) {
      self.plan = plan
      var evaluators: [any Evaluator] = []
      for part in plan.parts where part.mode == model.mode {
        evaluators.append(try part.makeEvaluator(model))
      }
      self.evaluators = evaluators
      accumulator = EvaluationAccumulator(evaluators)
    }

    func score(
      _ output: ModelOutput, of example: EvaluationExample
    ) throws(ModelError) -> [ItemScore] {
      var scores: [ItemScore] = []
      for evaluator in evaluators { scores.append(try evaluator.score(output, of: example)) }
      return scores
    }

    mutating func add(_ scores: [ItemScore], _ index: Int) throws(ModelError) {
      let reference = plan.reference(at: index)
      try accumulator.add(
        EvaluatedItem(index: index, name: reference.name, outcome: .scored(scores, [])),
        at: reference)
    }

    var result: EvaluationResult { accumulator.result(plan, elapsed: .zero, runCount: 0) }
  }

  private var a: Side
  private var b: Side

  /// Creates a comparison of two models on the data of their plans.
  ///
  /// - Throws: A `ModelError` if the metrics of a plan do not fit its model.
  package init(
    _ a: (plan: EvaluationPlan, model: Model), _ b: (plan: EvaluationPlan, model: Model)
  ) throws(ModelError) {
    (self.a, self.b) = (try Side(a.plan, a.model), try Side(b.plan, b.model))
  }

  /// Adds the outputs for an item; those that cannot be scored do not count.
  package mutating func add(_ first: ModelOutput, _ second: ModelOutput, at index: Int) {
    guard let example = try? a.plan.data.example(at: index),
      let firstScores = try? a.score(first, of: example),
      let secondScores = try? b.score(second, of: example)
    else { return }
    try? a.add(firstScores, index)
    try? b.add(secondScores, index)
  }

  /// The result of the second model, compared with the first one; `nil` if no item could be scored.
  package var result: EvaluationResult? {
    let first = a.result
    var second = b.result
    guard second.count > 0 else { return nil }
    second.comparison = try? BaselineComparison(second, baseline: first, name: first.model.path)
    // The comparison measures both models' latencies itself.
    second.performance = PerformanceResult()
    return second.comparison == nil ? nil : second
  }
}
