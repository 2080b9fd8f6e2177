import TensorIOBundle
import TensorIOCore

/// Judges scores by the label that should have the highest.
struct ClassificationEvaluator: Evaluator {
  /// More classes than these are too many for a curve each.
  private static let maxCurves = 20

  /// What the model tells apart.
  let labels: [String]
  private let output: String
  /// Finds the right label's place.
  private let groundTruth: @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int

  private var metric = ClassificationMetric()
  /// One for each class: it against all others.
  private var curves: [BinaryMetric] = []
  private var samples = SamplePredictions()

  /// A judge of labels; a single score is that of the second of two classes.
  init(
    output: String, labels: [String],
    groundTruth: @escaping @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int
  ) {
    (self.output, self.groundTruth) = (output, groundTruth)
    self.labels = labels.count == 1 ? ["not \(labels[0])", labels[0]] : labels
    if (2...Self.maxCurves).contains(self.labels.count) {
      // The second class of two tells what the first does.
      curves = Array(repeating: BinaryMetric(), count: self.labels.count == 2 ? 1 : labels.count)
    }
  }

  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let scores = try Classification(output[self.output]).scores.map(Double.init)
    let all = scores.count == 1 ? [1 - scores[0], scores[0]] : scores
    let right = try groundTruth(example.groundTruth)
    guard all.indices.contains(right) else {
      throw ModelError(.input, .labelOutOfRange(value: right, count: all.count))
    }
    return ItemScore([Double(right)] + all)
  }

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    let scores = judgement.values.dropFirst().map(Float.init)
    guard let first = judgement.values.first, let right = Int(exactly: first),
      scores.indices.contains(right)
    else { throw ItemScore.malformed(item) }
    try metric.add(scores, groundTruth: right)
    addToCurves(scores, right)
    samples.add(sample(scores, right, item))
  }

  private mutating func addToCurves(_ scores: [Float], _ right: Int) {
    if curves.count == 1 {
      curves[0].add(Double(scores[1]), isPositive: right == 1)
    } else if curves.count == scores.count {
      for index in curves.indices {
        curves[index].add(Double(scores[index]), isPositive: right == index)
      }
    }
  }

  private func sample(_ scores: [Float], _ right: Int, _ item: ItemReference) -> SamplePrediction {
    let classification = Classification(labels: labels, scores: scores)
    let best = classification.top(1).first ?? classification[right]
    let isRight = best.index == right
    // Mistakes are the worse the surer they were, successes the better.
    let loss = isRight ? 1 - Double(best.score) : Double(best.score - scores[right])
    return SamplePrediction(
      name: item.name, imagePath: item.imagePath, groundTruth: classification[right].label,
      prediction: "\(best.label) \(Double(best.score).formatted(decimals: 3))", isCorrect: isRight, loss: loss)
  }
}

// MARK: Reporting

extension ClassificationEvaluator {
  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    if curves.count == 1 { result.metrics += curves[0].values }
    result.classes = metric.confusion.perClass.filter { $0.support + $0.predictedCount > 0 }.map(classResult)
    result.confusion = confusion
    result.curves = curves.indices.flatMap(curves(of:))
    result.calibration = (metric.probabilities.calibration?.bins ?? []).compactMap { bin in
      guard let confidence = bin.confidence, let accuracy = bin.accuracy else { return nil }
      return CalibrationBin(count: bin.count, confidence: confidence, accuracy: accuracy)
    }
    result.samples = samples
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }

  private func classResult(_ figures: ClassMetrics) -> ClassResult {
    let scores = figures.scores
    return ClassResult(
      label: label(of: figures.classIndex), count: figures.support,
      metrics: [
        .fraction("precision", scores.precision), .fraction("recall", scores.recall),
        .fraction("f1", scores.f1),
      ].compactMap(\.self))
  }

  private var confusion: ConfusionResult {
    let classes = metric.confusion.classes
    let places = Dictionary(uniqueKeysWithValues: classes.enumerated().map { ($1, $0) })
    let cells = metric.confusion.cells
      .map { cell, count in
        ConfusionResult.Cell(
          actual: places[cell.actual] ?? 0, predicted: places[cell.predicted] ?? 0, count: count)
      }
      .sorted { ($0.actual, $0.predicted) < ($1.actual, $1.predicted) }
    return ConfusionResult(labels: classes.map(label(of:)), cells: cells)
  }

  private func curves(of place: Int) -> [ResultCurve] {
    let label = label(of: curves.count == 1 ? 1 : place)
    return curves[place].curves(label: label)
  }
}

extension BinaryMetric {
  /// The two curves of a score, as results draw them.
  func curves(label: String) -> [ResultCurve] {
    let roc = rocCurve().map { curve in
      ResultCurve(
        .roc, label: label, area: curve.area,
        points: curve.points.map { .init($0.falsePositiveRate, $0.truePositiveRate) })
    }
    let precisions = precisionRecallCurve(droppingIntermediate: true).map { curve in
      ResultCurve(
        .precisionRecall, label: label, area: curve.averagePrecision,
        points: curve.points.reversed().map { .init($0.recall, $0.precision) })
    }
    return [roc, precisions].compactMap(\.self)
  }
}
