import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates labeled sections of sentences.
struct EntityEvaluator: Evaluator {
  private let read: ResultReading.Function<[LabeledText]>
  private var metric = EntityMetric()
  private var samples = SamplePredictions()
  /// The metric of each item.
  private var items: [EntityMetric] = []

  init(_ model: ResultReader) throws(ModelError) {
    read = try model.reading { if case .sections(let read) = $0 { read } else { nil } }
  }

  /// Returns the numbers of correct, predicted and actual sections of each label, which is the name.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .entities(let entities) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let predicted = Set(
      try read(output).map {
        TaggedSentences.Entity(label: $0.label, range: $0.range)
      })
    let actual = Set(entities)
    let labels = Set(predicted.map(\.label)).union(actual.map(\.label)).sorted()
    let values = labels.flatMap { label in
      [predicted.intersection(actual), predicted, actual].map { sections in
        Double(sections.count { $0.label == label })
      }
    }
    return ItemScore(values, names: labels)
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard let counts = Self.counts(score) else { return nil }
    let repeated = { (number: (EntityMetric.Counts) -> Int) in
      counts.flatMap { Array(repeating: $0.label, count: number($0.counts)) }
    }
    let errors = counts.reduce(0) {
      $0 + $1.counts.predicted + $1.counts.actual - 2 * $1.counts.correct
    }
    return ItemSummary(
      groundTruth: .labels(repeated(\.actual)), prediction: .labels(repeated(\.predicted)),
      isCorrect: errors == 0, loss: Double(errors))
  }

  func itemMetrics() -> [any ItemMetric] {
    [MergedItems(items, empty: EntityMetric(), itemCost: 100)]
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let counts = Self.counts(score) else { throw ItemScore.malformed(item) }
    var (correct, predicted, actual) = (0, 0, 0)
    var single = EntityMetric()
    for (label, numbers) in counts {
      single.add(numbers, of: label)
      correct += numbers.correct
      predicted += numbers.predicted
      actual += numbers.actual
    }
    metric.add(single, times: 1)
    items.append(single)
    let errors = predicted + actual - 2 * correct
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: nil,
        groundTruth: "\(actual) \(actual == 1 ? "section" : "sections")",
        prediction: "\(correct) of \(predicted) correct", isCorrect: errors == 0,
        loss: errors == 0 ? -Double(actual) : Double(errors)))
  }

  private static func counts(
    _ score: ItemScore
  ) -> [(label: String, counts: EntityMetric.Counts)]? {
    let numbers = score.values.compactMap { Int(exactly: $0) }
    guard numbers.count == score.values.count, numbers.count == 3 * score.names.count,
      numbers.allSatisfy({ $0 >= 0 })
    else { return nil }
    return score.names.enumerated().map { index, label in
      let start = 3 * index
      return (
        label,
        EntityMetric.Counts(
          correct: numbers[start], predicted: numbers[start + 1], actual: numbers[start + 2])
      )
    }
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.classes = metric.counts.sorted { $0.key < $1.key }.map { label, counts in
      ClassResult(
        label: label, count: counts.actual,
        metrics: [
          .fraction("precision", counts.precision), .fraction("recall", counts.recall),
          .fraction("f1", counts.f1),
        ].compactMap(\.self))
    }
    result.samples = samples
  }
}
