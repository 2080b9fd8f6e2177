import TensorIOBundle
import TensorIOCore
import TensorIOTasks

/// Judges embeddings by whether those of the same label are nearer than others.
struct VerificationEvaluator: Evaluator {
  /// All pairs of more items than these would take too long; as many, evenly spread, are compared.
  private static let maxItems = 2000

  private let reader: EmbeddingDecoder
  private let groundTruth: @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int
  private let labels: [String]

  private var items: [Item] = []

  private struct Item: Sendable {
    let label: Int
    let embedding: Embedding
    let reference: ItemReference
  }

  init(
    _ reader: EmbeddingDecoder, labels: [String],
    groundTruth: @escaping @Sendable (EvaluationExample.GroundTruth) throws(ModelError) -> Int
  ) {
    (self.reader, self.labels, self.groundTruth) = (reader, labels, groundTruth)
  }

  /// The label and the embedding.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    let label = try groundTruth(example.groundTruth)
    return ItemScore([Double(label)] + (try reader.decode(output)).values.map(Double.init))
  }

  mutating func add(_ judgement: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let first = judgement.values.first, let label = Int(exactly: first) else {
      throw ItemScore.malformed(item)
    }
    let embedding = Embedding(judgement.values.dropFirst().map(Float.init))
    items.append(Item(label: label, embedding: embedding, reference: item))
  }

  func writeReport(into result: inout EvaluationResult) {
    let items = comparedItems
    var pairs = VerificationMetric(by: reader.options.metric)
    var nearest = items.map { _ in (distance: Double.infinity, index: -1) }
    for left in items.indices {
      for right in items.indices.dropFirst(left + 1) {
        // Embeddings of one model have the same length, so that they can be compared.
        guard
          let comparison = try? reader.options.compare(
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
    result.curves = pairs.pairScores.curves(label: "")
  }

  private var comparedItems: [Item] {
    guard items.count > Self.maxItems else { return items }
    return (0..<Self.maxItems).map { items[$0 * items.count / Self.maxItems] }
  }

  /// Whether the nearest other item has the same label, as somebody who recognises would have it.
  private func report(
    _ nearest: [(distance: Double, index: Int)], of items: [Item],
    into result: inout EvaluationResult
  ) {
    var right = 0
    for (item, near) in zip(items, nearest) where items.indices.contains(near.index) {
      let other = items[near.index]
      if other.label == item.label { right += 1 }
      result.samples.add(
        SamplePrediction(
          name: item.reference.name, imagePath: item.reference.imagePath, groundTruth: label(of: item.label),
          prediction: "\(label(of: other.label)), \(near.distance.formatted(decimals: 3)) away",
          isCorrect: other.label == item.label, loss: near.distance))
    }
    if items.count > 1 {
      result.metrics += [.fraction("nearest", ratio(right, of: items.count))].compactMap(\.self)
    }
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }
}
