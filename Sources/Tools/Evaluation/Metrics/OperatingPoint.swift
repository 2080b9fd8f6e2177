/// The threshold of scores that suits a class best.
///
/// A higher threshold has fewer wrong predictions, and misses more.
package struct OperatingPoint: Sendable, Hashable {
  /// How a threshold is chosen.
  package enum Method: String, Sendable, Hashable, CaseIterable {
    /// The largest F1 score; the highest threshold in a tie.
    case f1
    /// The largest difference of true and false positive rate, Youden's J.
    case youden
    /// The lowest cost of errors; the highest threshold in a tie.
    case cost
  }

  /// The class; empty for all together.
  package var label: String
  /// The smallest score that counts; for embeddings, the largest distance.
  package var threshold: Double
  /// The fraction of predictions with at least this score that are right.
  package var precision: Double
  /// The fraction of examples that are found.
  package var recall: Double
  /// How the threshold is chosen.
  package var method: Method
  /// The mean cost of an item; `nil` if costs are unknown.
  package var cost: Double?

  /// Creates an operating point.
  package init(
    label: String, threshold: Double, precision: Double, recall: Double, method: Method,
    cost: Double? = nil
  ) {
    (self.label, self.threshold, self.precision) = (label, threshold, precision)
    (self.recall, self.method, self.cost) = (recall, method, cost)
  }

  /// The harmonic mean of precision and recall.
  package var f1: Double {
    precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
  }
}

/// The numbers of right and wrong predictions at each threshold, and what follows from them.
struct ThresholdSweep {
  /// The maximum number of points of a curve.
  private static let maxPoints = 100

  private let steps: [ThresholdStep]
  /// The number of examples to find.
  private let positives: Int

  /// Creates a sweep over scores in descending order.
  init(_ steps: [ThresholdStep], positives: Int) {
    (self.steps, self.positives) = (steps.filter { $0.threshold.isFinite }, positives)
  }

  /// Returns the threshold with the largest F1 score; `nil` without examples or predictions.
  func best(label: String) -> OperatingPoint? {
    guard positives > 0, var best = steps.first else { return nil }
    for step in steps.dropFirst() where f1(step) > f1(best) { best = step }
    return OperatingPoint(
      label: label, threshold: best.threshold, precision: precision(best), recall: recall(best),
      method: .f1)
  }

  /// Returns the point of a threshold that has the lowest cost.
  func point(at threshold: Double, label: String, cost: Double) -> OperatingPoint {
    let step = steps.last { $0.threshold >= threshold }
    return OperatingPoint(
      label: label, threshold: threshold, precision: step.map(precision) ?? 0,
      recall: step.map(recall) ?? 0, method: .cost, cost: cost)
  }

  /// Returns F1, precision and recall over the score.
  func curves(label: String) -> [ResultCurve] {
    guard positives > 0, !steps.isEmpty else { return [] }
    let last = steps.count - 1
    let shown =
      steps.count <= Self.maxPoints
      ? steps : (0..<Self.maxPoints).map { steps[$0 * last / (Self.maxPoints - 1)] }
    let functions: [(ResultCurve.Kind, (ThresholdStep) -> Double)] = [
      (.f1, f1), (.precision, precision), (.recall, recall),
    ]
    return functions.map { kind, value in
      ResultCurve(
        kind, label: label, area: nil,
        points: shown.reversed().map { .init($0.threshold, value($0)) })
    }
  }

  private func f1(_ step: ThresholdStep) -> Double {
    2 * Double(step.truePositives) / Double(max(1, step.count + positives))
  }

  private func precision(_ step: ThresholdStep) -> Double {
    Double(step.truePositives) / Double(max(1, step.count))
  }

  private func recall(_ step: ThresholdStep) -> Double {
    Double(step.truePositives) / Double(max(1, positives))
  }
}

extension [(score: Double, isRight: Bool)] {
  /// The numbers of right and wrong predictions from each score on, from the highest score down.
  var thresholdSteps: [ThresholdStep] {
    var step = ThresholdStep(threshold: .infinity, truePositives: 0, falsePositives: 0)
    var steps: [ThresholdStep] = []
    for (score, isRight) in sorted(by: { $0.score > $1.score }) {
      if score != step.threshold, step.count > 0 { steps.append(step) }
      step.threshold = score
      if isRight { step.truePositives += 1 } else { step.falsePositives += 1 }
    }
    return step.count > 0 ? steps + [step] : []
  }
}
