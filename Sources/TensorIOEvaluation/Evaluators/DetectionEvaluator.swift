import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Judges boxes the way COCO does.
struct DetectionEvaluator: Evaluator {
  /// The numbers of a box that was found: class, edges, score.
  private static let valuesPerPrediction = 6
  /// The numbers of a box that is there: class, edges, area, whether it is a crowd.
  private static let valuesPerGroundTruth = 7
  /// A thing counts as found from this overlap on, where a picture is shown.
  private static let sampleIoUThreshold = 0.5

  private let reader: DetectionDecoder
  /// From which score on a box is shown, as the bundle says.
  private let threshold: Double
  private let labels: [String]

  private var metric = DetectionMetric()
  private var samples = SamplePredictions()

  /// A judge that sees all that a detector finds, however unsure, as the figures want it.
  init(_ reader: DetectionDecoder, labels: [String]) {
    threshold = Double(reader.options.threshold)
    self.labels = labels
    var reader = reader
    (reader.options.threshold, reader.options.top) = (-.infinity, nil)
    self.reader = reader
  }

  /// How many boxes were found, they, and those that are there.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .boxes(let boxes) = example.groundTruth else { throw ItemScore.malformed(example.item) }
    let found = try reader.decode(output).all
    var numbers = [Double(found.count)]
    for thing in found {
      numbers += [Double(thing.index)] + thing.box.edges + [Double(thing.score)]
    }
    for box in boxes {
      let isPassedOver = box.isCrowd || box.isDifficult
      numbers += [Double(box.labelIndex)] + BoundingBox(box).edges + [box.area, isPassedOver ? 1 : 0]
    }
    return ItemScore(numbers)
  }

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let (found, truth) = Self.boxes(judgement.values) else {
      throw ItemScore.malformed(item)
    }
    metric.add(found, groundTruth: truth)
    samples.add(sample(found, truth, item))
  }

  private static func boxes(_ numbers: [Double]) -> (found: [PredictedBox], truth: [GroundTruthBox])? {
    guard let first = numbers.first, let count = Int(exactly: first), count >= 0,
      count <= numbers.count / valuesPerPrediction
    else { return nil }
    let split = 1 + count * valuesPerPrediction
    guard split <= numbers.count, (numbers.count - split).isMultiple(of: valuesPerGroundTruth) else {
      return nil
    }
    let found = stride(from: 1, to: split, by: valuesPerPrediction).compactMap { start in
      Int(exactly: numbers[start]).map {
        PredictedBox(category: $0, box: BoundingBox(numbers, at: start + 1), score: numbers[start + 5])
      }
    }
    let truth = stride(from: split, to: numbers.count, by: valuesPerGroundTruth).compactMap { start in
      Int(exactly: numbers[start]).map {
        GroundTruthBox(
          category: $0, box: BoundingBox(numbers, at: start + 1), area: numbers[start + 5],
          isCrowd: numbers[start + 6] != 0)
      }
    }
    return (found, truth)
  }
}

// MARK: Showing

extension DetectionEvaluator {
  /// A picture is the worse, the more things were not found and the more was found that is not there.
  private func sample(
    _ found: [PredictedBox], _ truth: [GroundTruthBox], _ item: ItemReference
  ) -> SamplePrediction {
    let wanted = truth.filter { !$0.isCrowd }
    let shown = found.filter { $0.score >= threshold }
    let missed = wanted.count { !$0.isMatched(by: shown, minIoU: Self.sampleIoUThreshold) }
    let stray = shown.count { box in !truth.contains { $0.isMatched(by: [box], minIoU: Self.sampleIoUThreshold) }
    }
    var sample = SamplePrediction(
      name: item.name, imagePath: item.imagePath,
      groundTruth: "\(wanted.count) \(wanted.count == 1 ? "thing" : "things")",
      prediction: "\(wanted.count - missed) found, \(stray) too many", isCorrect: missed + stray == 0,
      loss: missed + stray == 0 ? -Double(wanted.count) : Double(missed + stray))
    sample.groundTruthBoxes = truth.map {
      SampleBox(label: label(of: $0.category), classIndex: $0.category, box: $0.box)
    }
    sample.predictedBoxes = shown.map {
      SampleBox(
        label: label(of: $0.category), classIndex: $0.category, box: $0.box, score: $0.score)
    }
    return sample
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }

  func writeReport(into result: inout EvaluationResult) {
    let report = metric.report
    result.metrics += report.values
    result.classes = report.categories.compactMap(report.category).map { category in
      ClassResult(
        label: label(of: category.category), count: category.count,
        metrics: [
          .fraction("ap", category.averagePrecision), .fraction("ap50", category.averagePrecision50),
          .fraction("ar", category.averageRecall),
        ].compactMap(\.self))
    }
    result.curves = report.categories.compactMap { curve(of: $0, report) }
    result.samples = samples
  }

  private func curve(of category: Int, _ report: DetectionReport) -> ResultCurve? {
    guard let precisions = report.precisions(of: category) else { return nil }
    return ResultCurve(
      .precisionRecall, label: label(of: category),
      area: report.category(category)?.averagePrecision50,
      points: zip(COCOParameters.recallThresholds, precisions).map { .init($0, $1) })
  }
}

extension GroundTruthBox {
  /// Whether one of some boxes is of this thing.
  fileprivate func isMatched(by found: [PredictedBox], minIoU overlap: Double) -> Bool {
    found.contains { $0.category == category && $0.box.intersectionOverUnion(box) >= overlap }
  }
}

extension BoundingBox {
  fileprivate init(_ box: AnnotatedBox) {
    self.init(xmin: box.xmin, ymin: box.ymin, xmax: box.xmax, ymax: box.ymax)
  }

  /// The box whose edges begin at a place of a list.
  fileprivate init(_ numbers: [Double], at start: Int) {
    self.init(
      xmin: numbers[start], ymin: numbers[start + 1], xmax: numbers[start + 2],
      ymax: numbers[start + 3])
  }

  fileprivate var edges: [Double] { [xmin, ymin, xmax, ymax] }
}
