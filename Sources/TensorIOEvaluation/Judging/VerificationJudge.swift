internal import TensorIOCore
internal import TensorIOTasks

/// Judges embeddings by whether those of the same label are nearer than others.
struct VerificationJudge: Judge {
  /// All pairs of more items than these would take too long; as many, evenly spread, are compared.
  private static let itemLimit = 2000

  private let reader: EmbeddingReader
  private let truth: @Sendable (EvaluationExample.Truth) throws(ModelError) -> Int
  private let labels: [String]

  private var items: [Item] = []

  private struct Item: Sendable {
    let label: Int
    let embedding: Embedding
    let place: ItemPlace
  }

  init(
    _ reader: EmbeddingReader, labels: [String],
    truth: @escaping @Sendable (EvaluationExample.Truth) throws(ModelError) -> Int
  ) {
    (self.reader, self.labels, self.truth) = (reader, labels, truth)
  }

  /// The label and the embedding.
  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement {
    let label = try truth(example.truth)
    return Judgement([Double(label)] + (try reader.read(output)).values.map(Double.init))
  }

  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError) {
    guard let first = judgement.numbers.first, let label = Int(exactly: first) else {
      throw Judgement.unreadable(item)
    }
    let embedding = Embedding(judgement.numbers.dropFirst().map(Float.init))
    items.append(Item(label: label, embedding: embedding, place: item))
  }

  func report(into result: inout EvaluationResult) {
    let items = compared
    var pairs = VerificationMetric(by: reader.options.metric)
    var nearest = items.map { _ in (distance: Double.infinity, index: -1) }
    for left in items.indices {
      for right in items.indices.dropFirst(left + 1) {
        // Embeddings of one model have the same length, so that they can be compared.
        guard let comparison = try? reader.options.compare(items[left].embedding, items[right].embedding)
        else { continue }
        let distance = comparison.distance
        pairs.add(distance: distance, areSame: items[left].label == items[right].label)
        if distance < nearest[left].distance { nearest[left] = (distance, right) }
        if distance < nearest[right].distance { nearest[right] = (distance, left) }
      }
    }
    result.figures += pairs.figures
    report(nearest, of: items, into: &result)
    result.curves = pairs.pairs.resultCurves(label: "")
  }

  private var compared: [Item] {
    guard items.count > Self.itemLimit else { return items }
    return (0..<Self.itemLimit).map { items[$0 * items.count / Self.itemLimit] }
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
        SampleAnswer(
          name: item.place.name, picture: item.place.picture, truth: label(of: item.label),
          found: "\(label(of: other.label)), \(near.distance.fixed(3)) away",
          isRight: other.label == item.label, loss: near.distance))
    }
    if items.count > 1 {
      result.figures += [.share("nearest", share(right, of: items.count))].compactMap(\.self)
    }
  }

  private func label(of index: Int) -> String {
    labels.indices.contains(index) ? labels[index] : String(index)
  }
}
