import TensorIOBundle
import TensorIOCore
import TensorIOTasks

/// Evaluates which words a model hears in recordings.
struct KeywordEvaluator: Evaluator {
  private let options: KeywordOptions
  private let read: ResultReading.Function<Keywords>
  private var metric = KeywordMetric()
  private var samples = SamplePredictions()
  /// The metric of each recording.
  private var items: [KeywordMetric] = []

  init(_ model: ResultReader) throws(ModelError) {
    (options, read) = try model.reading {
      if case .keywords(let options, let read) = $0 { (options, read) } else { nil }
    }
  }

  /// Returns the counts; the names are the text and the words that were heard.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .transcript(let text) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let keywords = try read(output)
    return ItemScore(
      KeywordMetric(text, keywords, options).scoreValues,
      names: [
        text.split(whereSeparator: \.isWhitespace).joined(separator: " "), keywords.summary,
      ])
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard score.names.count == 2, let counts = KeywordMetric(score.values)?.atThreshold else {
      return nil
    }
    let errors = counts.misses + counts.falseAccepts
    return ItemSummary(
      groundTruth: .label(score.names[0]), prediction: .label(score.names[1]),
      isCorrect: errors == 0, loss: Double(errors))
  }

  func itemMetrics() -> [any ItemMetric] {
    [MergedItems(items, empty: KeywordMetric(), itemCost: 300)]
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let single = KeywordMetric(score.values), score.names.count == 2 else {
      throw ItemScore.malformed(item)
    }
    metric.add(single, times: 1)
    items.append(single)
    let errors = single.atThreshold.misses + single.atThreshold.falseAccepts
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: score.names[0],
        prediction: score.names[1], isCorrect: errors == 0, loss: Double(errors)))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.curves = metric.curves
    result.samples = samples
  }
}
