import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates embeddings by whether items with the same label are closer than others.
struct VerificationEvaluator: Evaluator {
  /// The maximum number of items whose pairs are compared; of more, an evenly spaced subset is
  /// used.
  private static let maxItems = 2000

  private let options: EmbeddingOptions
  private let read: ResultReading.Function<Embedding>
  private let groundTruth: @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int
  private let labels: [String]
  /// The pairs to compare; `nil` compares all pairs.
  private let pairs: [ImagePairs.Pair]?

  private var items: [Item] = []

  private struct Item: Sendable {
    let label: Int
    let embedding: Embedding
    let reference: ItemReference
  }

  init(
    _ model: ResultReader, labels: [String],
    groundTruth: @escaping @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int
  ) throws(ModelError) {
    (options, read) = try model.embeddings()
    (self.labels, self.groundTruth) = (labels, groundTruth)
    pairs = nil
  }

  /// Creates an evaluator for specified pairs of images, whose identities are unknown.
  init(_ model: ResultReader, pairs: [ImagePairs.Pair]) throws(ModelError) {
    (options, read) = try model.embeddings()
    self.pairs = pairs
    labels = []
    groundTruth = { _ in 0 }
  }

  /// Returns the label and the embedding.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let label = try groundTruth(example.groundTruth)
    return ItemScore([Double(label)] + (try read(output)).values.map(Double.init))
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard pairs == nil else { return nil }
    return score.values.first.flatMap { Int(exactly: $0) }.map {
      ItemSummary(groundTruth: .label(label(of: $0)), prediction: nil)
    }
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let first = score.values.first, let label = Int(exactly: first) else {
      throw ItemScore.malformed(item)
    }
    let embedding = Embedding(score.values.dropFirst().map(Float.init))
    items.append(Item(label: label, embedding: embedding, reference: item))
  }

  func writeReport(into result: inout EvaluationResult) {
    if let pairs { return writeReport(of: pairs, into: &result) }
    let items = comparedItems
    var pairs = VerificationMetric(by: options.metric)
    var nearest = items.map { _ in (distance: Double.infinity, index: -1) }
    for left in items.indices {
      for right in items.indices.dropFirst(left + 1) {
        // Embeddings of one model have the same length, so comparing them does not fail.
        guard
          let comparison = try? options.compare(
            items[left].embedding, items[right].embedding)
        else { continue }
        let distance = comparison.distance
        pairs.add(distance: distance, isSameIdentity: items[left].label == items[right].label)
        if distance < nearest[left].distance { nearest[left] = (distance, right) }
        if distance < nearest[right].distance { nearest[right] = (distance, left) }
      }
    }
    result.metrics += pairs.values
    report(nearest, of: items, into: &result)
    result.addCurves(of: pairs)
  }

  /// Writes the metrics of the specified pairs, without those of failed images.
  private func writeReport(
    of pairs: [ImagePairs.Pair], into result: inout EvaluationResult
  ) {
    let embeddings = Dictionary(
      items.map { ($0.reference.index, $0.embedding) }, uniquingKeysWith: { first, _ in first })
    var metric = VerificationMetric(by: options.metric)
    for pair in pairs {
      guard let first = embeddings[pair.first], let second = embeddings[pair.second],
        let comparison = try? options.compare(first, second)
      else { continue }
      metric.add(distance: comparison.distance, isSameIdentity: pair.isSameIdentity)
    }
    result.metrics += metric.values
    result.addCurves(of: metric)
  }

  private var comparedItems: [Item] {
    guard items.count > Self.maxItems else { return items }
    return (0..<Self.maxItems).map { items[$0 * items.count / Self.maxItems] }
  }

  /// Writes the rank-1 accuracy: the fraction of items whose nearest other item has the same label.
  private func report(
    _ nearest: [(distance: Double, index: Int)], of items: [Item],
    into result: inout EvaluationResult
  ) {
    var correct = 0
    for (item, neighbor) in zip(items, nearest) where items.indices.contains(neighbor.index) {
      let other = items[neighbor.index]
      if other.label == item.label { correct += 1 }
      result.samples.add(
        SamplePrediction(
          name: item.reference.name, imagePath: item.reference.imagePath,
          groundTruth: label(of: item.label),
          prediction:
            "\(label(of: other.label)), distance \(neighbor.distance.formatted(decimals: 3))",
          isCorrect: other.label == item.label, loss: neighbor.distance))
    }
    if items.count > 1 {
      let accuracy = MetricValue.fraction("rank1_accuracy", ratio(correct, of: items.count))
      result.metrics += [accuracy].compactMap(\.self)
    }
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }
}

extension EvaluationResult {
  /// Adds the curves of pairs, and the distance that separates them best.
  fileprivate mutating func addCurves(of metric: VerificationMetric) {
    curves = metric.pairScores.curves(label: "")
    let steps = metric.pairScores.steps
    guard let roc = metric.pairScores.rocCurve(droppingIntermediate: false) else { return }
    let best = roc.youdenPoint.threshold
    guard let step = steps.first(where: { $0.threshold == best }), step.count > 0 else { return }
    operatingPoints = [
      OperatingPoint(
        label: "", threshold: -best,
        precision: Double(step.truePositives) / Double(step.count),
        recall: roc.youdenPoint.truePositiveRate, method: .youden)
    ]
  }
}
