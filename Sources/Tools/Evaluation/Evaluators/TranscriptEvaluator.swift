import TensorIOBundle
import TensorIOCore
import TensorIOTasks

/// Evaluates what a model hears in recordings.
struct TranscriptEvaluator: Evaluator {
  private let read: ResultReading.Function<(text: String, language: String)>
  /// The normalizer of all recordings; `nil` for that of the language of each.
  private let normalizer: TranscriptNormalizer?
  private var metric = TranscriptMetric()
  private var samples = SamplePredictions()
  /// The metric of each recording.
  private var items: [TranscriptMetric] = []
  /// The number of recordings by the normalizer of their texts.
  private var normalizers: [String: Int] = [:]

  init(_ model: ResultReader, _ normalizer: TranscriptNormalizer?) throws(ModelError) {
    read = try model.reading { if case .transcript(let read) = $0 { read } else { nil } }
    self.normalizer = normalizer
  }

  /// Returns the counts; the names are the expected text, the found text and the normalizer.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .transcript(let expected) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let (found, language) = try read(output)
    let normalizer = normalizer ?? TranscriptNormalizer(language: language)
    return ItemScore(
      TranscriptMetric.Counts(expected, found, normalizer).values,
      names: [expected.trimmedLines, found.trimmedLines, normalizer.rawValue])
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard score.names.count == 3, let counts = TranscriptMetric.Counts(score.values) else {
      return nil
    }
    return ItemSummary(
      groundTruth: .label(score.names[0]), prediction: .label(score.names[1]),
      isCorrect: counts.edits == 0, loss: Double(counts.edits))
  }

  func itemMetrics() -> [any ItemMetric] {
    [MergedItems(items, empty: TranscriptMetric(), itemCost: 30)]
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard let counts = TranscriptMetric.Counts(score.values), score.names.count == 3,
      let normalizer = TranscriptNormalizer(rawValue: score.names[2])
    else {
      throw ItemScore.malformed(item)
    }
    var single = TranscriptMetric()
    single.add(counts)
    metric.add(single, times: 1)
    items.append(single)
    normalizers[normalizer.rawValue, default: 0] += 1
    let edits = counts.edits
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: item.imagePath, groundTruth: score.names[0],
        prediction: score.names[1], isCorrect: edits == 0,
        loss: edits == 0 ? -Double(counts.words) : Double(edits)))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values
    result.samples = samples
    result.normalizers = normalizers
  }
}

extension String {
  /// The text in one line.
  fileprivate var trimmedLines: String {
    split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
