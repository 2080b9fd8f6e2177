/// The metrics of a binary decision over items.
struct CurveItems: ItemMetric {
  private let scores: [Double]
  private let arePositive: [Bool]
  /// The items from the highest score down.
  private let order: [Int]

  init(scores: [Double], arePositive: [Bool]) {
    (self.scores, self.arePositive) = (scores, arePositive)
    order = scores.indices.sorted { scores[$0] > scores[$1] }
  }

  var cost: Int { 6 * scores.count }

  func values(_ weights: [Int32]) -> [MetricValue] {
    var (positives, negatives) = (0, 0)
    for (index, weight) in weights.enumerated() {
      if arePositive[index] { positives += Int(weight) } else { negatives += Int(weight) }
    }
    guard positives > 0 else { return [] }
    var curve = CurveSums(positives: Double(positives), negatives: Double(negatives))
    var step = ThresholdStep(threshold: .infinity, truePositives: 0, falsePositives: 0)
    for index in order where weights[index] > 0 {
      if scores[index] != step.threshold, step.count > 0 { curve.add(step) }
      step.threshold = scores[index]
      if arePositive[index] {
        step.truePositives += Int(weights[index])
      } else {
        step.falsePositives += Int(weights[index])
      }
    }
    curve.add(step)
    return curve.values
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    CurveItems(scores: items.map { scores[$0] }, arePositive: items.map { arePositive[$0] })
  }
}

/// The areas of a ROC and a precision-recall curve, and its points of interest, in one pass.
private struct CurveSums {
  let positives: Double
  let negatives: Double
  private var last = (truePositives: 0.0, falsePositives: 0.0)
  private var area = 0.0
  private var averagePrecision = 0.0
  private var equalErrorRate: Double?
  private var best = (difference: 0.0, threshold: Double.infinity)

  init(positives: Double, negatives: Double) {
    (self.positives, self.negatives) = (positives, negatives)
  }

  mutating func add(_ step: ThresholdStep) {
    let (hits, mistakes) = (Double(step.truePositives), Double(step.falsePositives))
    averagePrecision += (hits - last.truePositives) / positives * hits / (hits + mistakes)
    if negatives > 0 {
      area += (mistakes - last.falsePositives) * (hits + last.truePositives) / 2
      let before = last.falsePositives / negatives - 1 + last.truePositives / positives
      let after = mistakes / negatives - 1 + hits / positives
      if equalErrorRate == nil, after >= 0 {
        let position = before / (before - after)
        equalErrorRate =
          (last.falsePositives + position * (mistakes - last.falsePositives)) / negatives
      }
      let difference = hits / positives - mistakes / negatives
      if difference > best.difference { best = (difference, step.threshold) }
    }
    last = (hits, mistakes)
  }

  var values: [MetricValue] {
    let isDefined = negatives > 0
    return [
      isDefined ? .fraction("roc_auc", area / positives / negatives) : nil,
      isDefined ? .error("eer", equalErrorRate, unit: .fraction) : nil,
      .fraction("average_precision", averagePrecision),
      isDefined ? MetricValue("best_threshold", best.threshold) : nil,
    ].compactMap(\.self)
  }
}
