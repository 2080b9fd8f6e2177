import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates the names that a gallery gives to embeddings.
///
/// An item whose label is not enrolled is correct if it is unknown.
struct GalleryEvaluator: Evaluator {
  private static let unknownLabel = "unknown"

  private let options: EmbeddingOptions
  private let read: ResultReading.Function<Embedding>
  private let gallery: InMemoryGallery
  /// The labels of the data by index.
  private let dataLabels: [String]
  /// The enrolled names in order, and `unknown`.
  private let names: [String]
  private let groundTruth: @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int

  private var confusion = ConfusionMatrix()
  private var samples = SamplePredictions()
  /// The actual and the predicted name of each item.
  private var items: (actual: [Int], predicted: [Int]) = ([], [])

  init(
    _ model: ResultReader, _ gallery: InMemoryGallery, dataLabels: [String]
  ) throws(ModelError) {
    (options, read) = try model.embeddings()
    (self.gallery, self.dataLabels) = (gallery, dataLabels)
    names = Set(gallery.entries.map(\.name)).sorted() + [Self.unknownLabel]
    groundTruth = GroundTruthLabel.index(inValue: EvaluationPlan.defaultLabelName)
  }

  private func index(ofName name: String?) -> Int {
    name.flatMap { names.dropLast().firstIndex(of: $0) } ?? names.count - 1
  }

  private func label(of index: Int) -> String {
    names.indices.contains(index) ? names[index] : String(index)
  }

  /// Returns the actual and the predicted name, and the distance.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let labelIndex = try groundTruth(example.groundTruth)
    let label =
      dataLabels.indices.contains(labelIndex) ? dataLabels[labelIndex] : String(labelIndex)
    let recognition = try gallery.recognize(read(output), options)
    return ItemScore([
      Double(index(ofName: label)), Double(index(ofName: recognition.name)),
      recognition.distance ?? .infinity,
    ])
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard let (actual, predicted, distance) = parts(of: score) else { return nil }
    return ItemSummary(
      groundTruth: .label(label(of: actual)), prediction: .label(label(of: predicted)),
      isCorrect: actual == predicted, confidence: -distance)
  }

  func itemMetrics() -> [any ItemMetric] {
    let areCorrect = zip(items.actual, items.predicted).map { $0 == $1 }
    return [
      RatioItems("top1", areCorrect: areCorrect),
      ConfusionItems(
        actual: items.actual, predicted: items.predicted, labels: names, hasBalancedAccuracy: false),
    ]
  }

  private func parts(of score: ItemScore) -> (actual: Int, predicted: Int, distance: Double)? {
    guard score.values.count == 3, let actual = Int(exactly: score.values[0]),
      let predicted = Int(exactly: score.values[1]), names.indices.contains(actual),
      names.indices.contains(predicted)
    else { return nil }
    return (actual, predicted, score.values[2])
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let (actual, predicted, distance) = parts(of: score) else {
      throw ItemScore.malformed(item)
    }
    confusion.add(predicted, actual: actual)
    items.actual.append(actual)
    items.predicted.append(predicted)
    let isCorrect = actual == predicted
    // Near mistakes rank worst, near correct predictions rank best.
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: label(of: actual),
        prediction: "\(label(of: predicted)), distance \(distance.formatted(decimals: 3))",
        isCorrect: isCorrect, loss: isCorrect ? distance : -distance))
  }

  func writeReport(into result: inout EvaluationResult) {
    let correctCount = confusion.classes.reduce(0) { $0 + confusion[actual: $1, predicted: $1] }
    let scores = confusion.average(.macro)
    result.metrics += [
      .fraction("top1", ratio(correctCount, of: confusion.count)),
      .fraction("precision", scores.precision), .fraction("recall", scores.recall),
      .fraction("f1", scores.f1),
    ].compactMap(\.self)
    result.classes = confusion.classResults(label: label(of:))
    result.confusion = confusion.result(label: label(of:))
    result.samples = samples
  }
}
