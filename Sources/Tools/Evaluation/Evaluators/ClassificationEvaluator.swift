import TensorIOBundle
import TensorIOCore
import TensorIOData

/// Evaluates class scores against the correct label.
struct ClassificationEvaluator: CostedEvaluator {
  /// The maximum number of classes for which curves are computed.
  private static let maxCurves = 20

  /// The labels of the classes.
  let labels: [String]
  private let output: String
  /// Finds the index of the correct label.
  private let groundTruth: @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int

  private var metric = ClassificationMetric()
  /// One-vs-rest metrics by class; a single one for two classes.
  private var curves: [BinaryMetric] = []
  private var samples = SamplePredictions()
  private var items = Items()
  /// The costs of the errors of best labels; with the threshold from which on the best label is shown.
  private var costs: CostTally?
  /// For two classes, the costs if the second class is predicted from a threshold on.
  private var positiveCosts: CostTally?

  /// What the metrics need of each item.
  private struct Items {
    var actual: [Int] = []
    var predicted: [Int] = []
    var ranks: [Int] = []
    var confidences: [Double] = []
    var logLosses: [Double] = []
    var squaredErrors: [Double] = []

    mutating func add(_ scores: [Float], best: Int, actual correct: Int) {
      actual.append(correct)
      predicted.append(best)
      ranks.append(Classification(labels: [], scores: scores).rank(of: correct))
      confidences.append(Double(scores[best]))
      logLosses.append(ProbabilityMetric.logLoss(ofProbability: Double(scores[correct])))
      squaredErrors.append(ProbabilityMetric.squaredError(of: scores, groundTruth: correct))
    }
  }

  /// Creates an evaluator; a single score is that of the second of two classes.
  init(
    output: String, labels: [String],
    groundTruth: @escaping @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int
  ) {
    (self.output, self.groundTruth) = (output, groundTruth)
    self.labels = labels.count == 1 ? ["not \(labels[0])", labels[0]] : labels
    if (2...Self.maxCurves).contains(self.labels.count) {
      // With two classes, the curve of the second determines that of the first.
      curves = Array(repeating: BinaryMetric(), count: self.labels.count == 2 ? 1 : labels.count)
    }
  }

  mutating func use(_ costs: ErrorCosts) throws(ModelError) {
    try costs.throwIfUnknown(among: labels)
    self.costs = CostTally(costs)
    if labels.count == 2 { positiveCosts = CostTally(costs) }
  }

  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let scores =
      if case .numbers(let numbers) = try output[self.output] {
        numbers.doubles
      } else {
        try Classification(output[self.output]).scores.map(Double.init)
      }
    let all = scores.count == 1 ? [1 - scores[0], scores[0]] : scores
    let correctIndex = try groundTruth(example.groundTruth)
    guard all.indices.contains(correctIndex) else {
      throw ModelError(.input, .labelOutOfRange(value: correctIndex, count: all.count))
    }
    return ItemScore([Double(correctIndex)] + all)
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    let scores = score.values.dropFirst().map(Float.init)
    guard let first = score.values.first, let correctIndex = Int(exactly: first),
      let best = Classification(labels: [], scores: scores).bestIndex
    else { return nil }
    let isProbability = ProbabilityMetric.reasonAgainstProbabilities(scores) == nil
    guard scores.indices.contains(correctIndex) else { return nil }
    let (score, correctScore) = (Double(scores[best]), Double(scores[correctIndex]))
    return ItemSummary(
      groundTruth: .label(label(of: correctIndex)), prediction: .label(label(of: best)),
      isCorrect: best == correctIndex, confidence: score,
      loss: isProbability
        ? ProbabilityMetric.logLoss(ofProbability: correctScore) : score - correctScore)
  }

  func itemMetrics() -> [any ItemMetric] {
    guard let count = metric.classCount else { return [] }
    let areCorrect = zip(items.actual, items.predicted).map { $0 == $1 }
    var metrics: [any ItemMetric] = metric.topK.ks.filter { $0 < count }.map { k in
      RatioItems("top\(k)", areCorrect: items.ranks.map { $0 < k })
    }
    metrics.append(
      ConfusionItems(
        actual: items.actual, predicted: items.predicted, labels: (0..<count).map(label(of:))))
    if let calibration = metric.probabilities.calibration {
      metrics += [
        RatioItems("log_loss", unit: .number, direction: .lower, items.logLosses),
        RatioItems("brier_score", unit: .number, direction: .lower, items.squaredErrors),
        CalibrationItems(
          confidences: items.confidences, areCorrect: areCorrect, calibration: calibration),
      ]
    }
    if curves.count == 1 { metrics.append(curves[0].itemMetric) }
    if let costs { metrics.append(costs.itemMetric) }
    return metrics
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    let scores = score.values.dropFirst().map(Float.init)
    guard let first = score.values.first, let correctIndex = Int(exactly: first),
      scores.indices.contains(correctIndex)
    else { throw ItemScore.malformed(item) }
    try metric.add(scores, groundTruth: correctIndex)
    addToCurves(scores, correctIndex)
    let best = Classification(labels: [], scores: scores).bestIndex ?? correctIndex
    items.add(scores, best: best, actual: correctIndex)
    addCosts(scores, best: best, actual: correctIndex)
    samples.add(sample(scores, correctIndex, item))
  }

  private mutating func addToCurves(_ scores: [Float], _ correctIndex: Int) {
    if curves.count == 1 {
      curves[0].add(Double(scores[1]), isPositive: correctIndex == 1)
    } else if curves.count == scores.count {
      for index in curves.indices {
        curves[index].add(Double(scores[index]), isPositive: correctIndex == index)
      }
    }
  }

  private mutating func addCosts(_ scores: [Float], best: Int, actual: Int) {
    guard let costs = costs?.costs else { return }
    let truth = label(of: actual)
    let cost = costs.cost(of: label(of: best), truth: truth)
    let none = costs.hasNone ? costs.cost(of: ErrorCosts.none, truth: truth) : nil
    self.costs?.add(
      cost, without: none, [.init(score: Double(scores[best]), cost: cost - (none ?? 0))])
    guard scores.count == 2 else { return }
    let (negative, positive) = (
      costs.cost(of: label(of: 0), truth: truth), costs.cost(of: label(of: 1), truth: truth)
    )
    positiveCosts?.add(
      cost, without: negative, [.init(score: Double(scores[1]), cost: positive - negative)])
  }

  private func sample(
    _ scores: [Float], _ correctIndex: Int, _ item: ItemReference
  ) -> SamplePrediction {
    let classification = Classification(labels: labels, scores: scores)
    let best = classification.top(1).first ?? classification[correctIndex]
    let isCorrect = best.index == correctIndex
    // Confident mistakes rank worst, confident correct predictions rank best.
    let loss = isCorrect ? 1 - Double(best.score) : Double(best.score - scores[correctIndex])
    return SamplePrediction(
      name: item.name, imagePath: item.imagePath, groundTruth: classification[correctIndex].label,
      prediction: "\(best.label) \(Double(best.score).formatted(decimals: 3))",
      isCorrect: isCorrect,
      loss: loss)
  }
}

// MARK: Reporting

extension ClassificationEvaluator {
  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.undefinedMetrics += metric.probabilities.undefinedMetrics
    if curves.count == 1 { result.metrics += curves[0].values }
    result.classes = metric.confusion.classResults(label: label(of:))
    result.confusion = metric.confusion.result(label: label(of:))
    result.curves = curves.indices.flatMap(curves(of:))
    result.operatingPoints = operatingPoints
    if let costs { result.add(costs, label: "", sweep: allSweep) }
    if curves.count == 1, let best = positiveCosts?.best {
      let point = curves[0].sweep.point(
        at: best.threshold, label: curveLabel(0), cost: best.cost)
      result.operatingPoints = result.operatingPoints.filter { $0.label != point.label } + [point]
    }
    result.calibration = (metric.probabilities.calibration?.bins ?? []).compactMap { bin in
      guard let confidence = bin.confidence, let accuracy = bin.accuracy else { return nil }
      return CalibrationBin(count: bin.count, confidence: confidence, accuracy: accuracy)
    }
    result.samples = samples
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }

  private func curveLabel(_ index: Int) -> String { label(of: curves.count == 1 ? 1 : index) }

  private func curves(of index: Int) -> [ResultCurve] {
    let label = curveLabel(index)
    return curves[index].curves(label: label) + curves[index].sweep.curves(label: label)
  }

  /// Precision and recall of the best labels over their scores.
  private var allSweep: ThresholdSweep {
    let predictions = items.confidences.indices.map { index in
      (
        score: items.confidences[index], isRight: items.actual[index] == items.predicted[index]
      )
    }
    return ThresholdSweep(predictions.thresholdSteps, positives: predictions.count)
  }

  /// The best threshold of each class, and that of the scores of all predictions together.
  private var operatingPoints: [OperatingPoint] {
    [allSweep.best(label: "")].compactMap(\.self)
      + curves.indices.compactMap { curves[$0].sweep.best(label: curveLabel($0)) }
  }
}

extension BinaryMetric {
  /// Returns the ROC and precision-recall curves for a result.
  func curves(label: String) -> [ResultCurve] {
    let roc = rocCurve().map { curve in
      ResultCurve(
        .roc, label: label, area: curve.area,
        points: curve.points.map {
          .init($0.falsePositiveRate, $0.truePositiveRate, threshold: $0.threshold)
        })
    }
    let precisionRecall = precisionRecallCurve(droppingIntermediate: true).map { curve in
      ResultCurve(
        .precisionRecall, label: label, area: curve.averagePrecision,
        points: curve.points.reversed().map {
          .init($0.recall, $0.precision, threshold: $0.threshold)
        })
    }
    return [roc, precisionRecall].compactMap(\.self)
  }
}
