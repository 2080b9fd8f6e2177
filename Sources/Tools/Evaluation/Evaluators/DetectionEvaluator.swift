import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates boxes with the COCO metrics.
struct DetectionEvaluator: CostedEvaluator {
  /// The values of a predicted box: class, edges and score.
  private static let valuesPerPrediction = 6
  /// The values of a ground-truth box: class, edges, area and whether it is ignored.
  private static let valuesPerGroundTruth = 7
  /// The minimum overlap at which a sample image counts an object as detected.
  private static let sampleIoUThreshold = 0.5

  private let read: ResultReading.Function<[Detection]>
  /// The minimum score of boxes on sample images, from the bundle.
  private let threshold: Double
  private let labels: [String]

  private var metric = DetectionMetric()
  private var samples = SamplePredictions()
  /// The metric of each image.
  private var items: [DetectionMetric] = []
  /// The classes of objects and of the detections above the bundle's threshold at the same places.
  private var confusion: ObjectConfusion

  /// Creates an evaluator; metrics use all detections regardless of the bundle's threshold.
  init(_ model: ResultReader, labels: [String]) throws(ModelError) {
    threshold = Double(try model.boxes().minimumScore)
    self.labels = labels
    confusion = ObjectConfusion(threshold: threshold, labels: labels)
    read = try model.boxes(.results(minimumScore: -.infinity, top: .max)).read
  }

  mutating func use(_ costs: ErrorCosts) throws(ModelError) { try confusion.use(costs) }

  /// Returns the number of predicted boxes, the predicted boxes and the ground-truth boxes.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .boxes(let boxes) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let detections = try read(output)
    var values = [Double(detections.count)]
    for detection in detections {
      values += [Double(detection.index)] + detection.box.edges + [Double(detection.score)]
    }
    for box in boxes {
      let isIgnored = box.isCrowd || box.isDifficult
      values += [Double(box.labelIndex)] + BoundingBox(box).edges + [box.area, isIgnored ? 1 : 0]
    }
    return ItemScore(values)
  }

  /// Returns the labels of the ground truth, and those of the detections above the bundle's
  /// threshold.
  func summary(of score: ItemScore) -> ItemSummary? {
    guard let (predictions, groundTruth) = Self.boxes(score.values) else { return nil }
    let detections = predictions.filter { $0.score >= threshold }
    let errors = errors(detections, groundTruth)
    return ItemSummary(
      groundTruth: .labels(groundTruth.filter { !$0.isCrowd }.map { label(of: $0.category) }),
      prediction: .labels(detections.map { label(of: $0.category) }),
      isCorrect: errors.missed + errors.falsePositives == 0,
      confidence: detections.map(\.score).max(),
      loss: Double(errors.missed + errors.falsePositives))
  }

  func itemMetrics() -> [any ItemMetric] {
    let boxes = items.reduce(0) { $0 + $1.recordCount }
    return [
      MergedItems(items, empty: DetectionMetric(), itemCost: 100 * boxes / max(1, items.count))
    ] + [confusion.costs?.itemMetric].compactMap(\.self)
  }

  /// Returns the numbers of missed objects and of detections without an object.
  private func errors(
    _ detections: [PredictedBox], _ groundTruth: [GroundTruthBox]
  ) -> (missed: Int, falsePositives: Int) {
    (
      groundTruth.count {
        !$0.isCrowd && !$0.isMatched(by: detections, minIoU: Self.sampleIoUThreshold)
      },
      detections.count { box in
        !groundTruth.contains { $0.isMatched(by: [box], minIoU: Self.sampleIoUThreshold) }
      }
    )
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let (predictions, groundTruth) = Self.boxes(score.values) else {
      throw ItemScore.malformed(item)
    }
    var single = DetectionMetric()
    single.add(predictions, groundTruth: groundTruth)
    metric.add(single, times: 1)
    items.append(single)
    addConfusion(predictions, groundTruth)
    samples.add(sample(predictions, groundTruth, item))
  }

  private mutating func addConfusion(
    _ detections: [PredictedBox], _ groundTruth: [GroundTruthBox]
  ) {
    confusion.add(
      detections.map { .init(category: $0.category, score: $0.score) },
      groundTruth.map { .init(category: $0.category, isCrowd: $0.isCrowd) }
    ) { detections[$0].matchingOverlap(with: groundTruth[$1]) }
  }

  /// Returns the boxes of a score, or `nil` if its values are malformed.
  static func boxes(
    _ values: [Double]
  ) -> (predictions: [PredictedBox], groundTruth: [GroundTruthBox])? {
    guard let first = values.first, let count = Int(exactly: first), count >= 0,
      count <= values.count / valuesPerPrediction
    else { return nil }
    let split = 1 + count * valuesPerPrediction
    guard split <= values.count, (values.count - split).isMultiple(of: valuesPerGroundTruth) else {
      return nil
    }
    var predictions: [PredictedBox] = []
    for start in stride(from: 1, to: split, by: valuesPerPrediction) {
      guard let category = Int(exactly: values[start]) else { return nil }
      predictions.append(
        PredictedBox(
          category: category, box: BoundingBox(values, at: start + 1), score: values[start + 5]))
    }
    var groundTruth: [GroundTruthBox] = []
    for start in stride(from: split, to: values.count, by: valuesPerGroundTruth) {
      guard let category = Int(exactly: values[start]) else { return nil }
      groundTruth.append(
        GroundTruthBox(
          category: category, box: BoundingBox(values, at: start + 1), area: values[start + 5],
          isCrowd: values[start + 6] != 0))
    }
    return (predictions, groundTruth)
  }
}

// MARK: Samples and report

extension DetectionEvaluator {
  /// Returns the sample of an image, whose loss is the number of missed objects and false
  /// positives.
  private func sample(
    _ predictions: [PredictedBox], _ groundTruth: [GroundTruthBox], _ item: ItemReference
  ) -> SamplePrediction {
    let objects = groundTruth.filter { !$0.isCrowd }
    let shown = predictions.filter { $0.score >= threshold }
    let (missed, falsePositives) = errors(shown, groundTruth)
    let errors = missed + falsePositives
    var sample = SamplePrediction(
      name: item.name, imagePath: item.imagePath,
      groundTruth: "\(objects.count) \(objects.count == 1 ? "object" : "objects")",
      prediction: "\(objects.count - missed) detected, \(falsePositives) false positives",
      isCorrect: errors == 0, loss: errors == 0 ? -Double(objects.count) : Double(errors))
    sample.groundTruthBoxes = groundTruth.map {
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
    result.classes = report.classResults(label: label(of:))
    result.curves = report.categories.compactMap { curve(of: $0, report) }
    result.addOperatingPoints(of: report, label: label(of:), sweep: metric.sweep(of:))
    result.addConfusion(confusion, sweep: metric.sweep(of: nil))
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
  /// Returns whether any predicted box has the same class and a sufficient overlap.
  fileprivate func isMatched(by predictions: [PredictedBox], minIoU: Double) -> Bool {
    predictions.contains { $0.category == category && $0.box.intersectionOverUnion(box) >= minIoU }
  }
}

extension BoundingBox {
  fileprivate init(_ box: AnnotatedBox) {
    self.init(xmin: box.xmin, ymin: box.ymin, xmax: box.xmax, ymax: box.ymax)
  }

  /// Creates a box from four values of a list.
  fileprivate init(_ values: [Double], at start: Int) {
    self.init(
      xmin: values[start], ymin: values[start + 1], xmax: values[start + 2],
      ymax: values[start + 3])
  }

  fileprivate var edges: [Double] { [xmin, ymin, xmax, ymax] }
}
