import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOTasks

/// Evaluates the pixels of detected objects with the COCO metrics.
struct InstanceMaskEvaluator: CostedEvaluator {
  /// The maximum minimum score of the objects that are compared.
  private static let maxThreshold: Float = 0.001
  /// The maximum number of objects of an image that are compared.
  private static let maxObjects = 300
  /// The minimum overlap at which a sample image counts an object as found.
  private static let sampleOverlap = 0.5

  private let read: ResultReading.Function<[InstanceMask]>
  private let labels: [String]
  /// The minimum score of objects on sample images, from the bundle.
  private let threshold: Double
  private var metric = MaskMetric()
  private var samples = SamplePredictions()
  /// The metric of each image.
  private var items: [MaskMetric] = []
  /// The classes of objects and of the predicted objects above the bundle's threshold at the same places.
  private var confusion: ObjectConfusion

  /// Creates an evaluator; metrics use nearly all objects regardless of the bundle's threshold.
  init(_ model: ResultReader, labels: [String]) throws(ModelError) {
    let minimumScore = try model.masks().minimumScore
    (threshold, self.labels) = (Double(minimumScore), labels)
    confusion = ObjectConfusion(threshold: threshold, labels: labels)
    read = try model.masks(
      .results(minimumScore: min(Self.maxThreshold, minimumScore), top: Self.maxObjects)
    ).read
  }

  mutating func use(_ costs: ErrorCosts) throws(ModelError) { try confusion.use(costs) }

  /// Returns the objects and their overlaps.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .boxes(let boxes) = example.groundTruth,
      let geometry = output.imageGeometries.lazy.compactMap(\.self).first
    else { throw ItemScore.malformed(example.item) }
    let (width, height) = (geometry.imageWidth, geometry.imageHeight)
    let predictions = try read(output).map { object in
      MaskMetric.Prediction(
        category: object.detection.index,
        mask: RegionMask(
          region: object.pixels, width: object.width, left: object.left, top: object.top,
          imageWidth: width), score: Double(object.detection.score))
    }
    let objects = boxes.map { box in
      MaskMetric.GroundTruth(
        category: box.labelIndex,
        mask: RegionMask(box.outline?.pixels(width: width, height: height) ?? []), area: box.area,
        isCrowd: box.isCrowd)
    }
    return InstanceMaskScore(
      predictions: predictions.map {
        .init(category: $0.category, score: $0.score, area: Double($0.mask.area))
      },
      objects: objects.map {
        .init(category: $0.category, area: $0.area, isCrowd: $0.isCrowd)
      },
      overlaps: predictions.flatMap { prediction in
        objects.map { $0.overlap(prediction.mask) }
      }
    ).itemScore
  }

  /// Returns the labels of the ground truth, and those of the objects above the bundle's threshold.
  func summary(of score: ItemScore) -> ItemSummary? {
    guard let score = InstanceMaskScore(score) else { return nil }
    let shown = score.predictions.filter { $0.score >= threshold }
    let errors = errors(score)
    return ItemSummary(
      groundTruth: .labels(score.objects.filter { !$0.isCrowd }.map { label(of: $0.category) }),
      prediction: .labels(shown.map { label(of: $0.category) }),
      isCorrect: errors.missed + errors.others == 0, confidence: shown.map(\.score).max(),
      loss: Double(errors.missed + errors.others))
  }

  func itemMetrics() -> [any ItemMetric] {
    let objects = items.reduce(0) { $0 + $1.recordCount }
    return [MergedItems(items, empty: MaskMetric(), itemCost: 100 * objects / max(1, items.count))]
      + [confusion.costs?.itemMetric].compactMap(\.self)
  }

  /// Returns the numbers of objects, of those that are not found, and of those that are found and do not exist.
  private func errors(_ score: InstanceMaskScore) -> (objects: Int, missed: Int, others: Int) {
    let shown = score.predictions.indices.filter { score.predictions[$0].score >= threshold }
    let objects = score.objects.indices.filter { !score.objects[$0].isCrowd }
    let found = objects.count { object in
      shown.contains { index in
        score.predictions[index].category == score.objects[object].category
          && score.overlap(index, object) >= Self.sampleOverlap
      }
    }
    return (objects.count, objects.count - found, max(0, shown.count - found))
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let score = InstanceMaskScore(score) else { throw ItemScore.malformed(item) }
    var single = MaskMetric()
    single.add(score.predictions, groundTruth: score.objects) { score.overlap($0, $1) }
    metric.add(single, times: 1)
    items.append(single)
    confusion.add(
      score.predictions.map { .init(category: $0.category, score: $0.score) },
      score.objects.map { .init(category: $0.category, isCrowd: $0.isCrowd) }
    ) { score.overlap($0, $1) }
    let (objects, missed, others) = errors(score)
    let errors = missed + others
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath,
        groundTruth: "\(objects) \(objects == 1 ? "object" : "objects")",
        prediction: "\(objects - missed) found, \(others) others",
        isCorrect: errors == 0, loss: errors == 0 ? -Double(objects) : Double(errors)))
  }

  func writeReport(into result: inout EvaluationResult) {
    let report = metric.report
    result.metrics += report.values
    result.classes = report.classResults(label: label(of:))
    result.addOperatingPoints(of: report, label: label(of:), sweep: metric.sweep(of:))
    result.addConfusion(confusion, sweep: metric.sweep(of: nil))
    result.samples = samples
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }
}

/// The objects of an image and their overlaps.
private struct InstanceMaskScore {
  let predictions: [MaskMetric.Object]
  let objects: [MaskMetric.Object]
  /// The overlap of each prediction with each object, by prediction.
  let overlaps: [Double]

  init(predictions: [MaskMetric.Object], objects: [MaskMetric.Object], overlaps: [Double]) {
    (self.predictions, self.objects, self.overlaps) = (predictions, objects, overlaps)
  }

  /// Reads the values of a score; `nil` if they are malformed.
  init?(_ score: ItemScore) {
    let values = score.values
    guard values.count >= 2, let predictionCount = Int(exactly: values[0]),
      let objectCount = Int(exactly: values[1]),
      (0...values.count).contains(predictionCount), (0...values.count).contains(objectCount),
      values.count == 2 + 3 * predictionCount + 3 * objectCount + predictionCount * objectCount
    else { return nil }
    let start = 2 + 3 * predictionCount
    predictions = stride(from: 2, to: start, by: 3).map {
      .init(category: Int(exactly: values[$0]) ?? -1, score: values[$0 + 1], area: values[$0 + 2])
    }
    let end = start + 3 * objectCount
    objects = stride(from: start, to: end, by: 3).map {
      .init(
        category: Int(exactly: values[$0]) ?? -1, area: values[$0 + 1], isCrowd: values[$0 + 2] != 0
      )
    }
    overlaps = Array(values[end...])
  }

  func overlap(_ prediction: Int, _ object: Int) -> Double {
    overlaps[prediction * objects.count + object]
  }

  var itemScore: ItemScore {
    var values = [Double(predictions.count), Double(objects.count)]
    for object in predictions { values += [Double(object.category), object.score, object.area] }
    for object in objects {
      values += [Double(object.category), object.area, object.isCrowd ? 1 : 0]
    }
    return ItemScore(values + overlaps)
  }
}
