import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOTasks

/// Evaluates the most probable answer to each question with the metrics of SQuAD, and with ROUGE-L if answers are written.
struct AnswerEvaluator: Evaluator {
  private let read: ResultReading.Function<[String]>
  private var metric = AnswerMetric()
  /// `nil` for sections of a text, which some questions do not have.
  private var rouge: RougeMetric?
  private var samples = SamplePredictions()
  /// The values of each item's score.
  private var items: [[Double]] = []

  init(_ model: ResultReader, reportsROUGE: Bool = false) throws(ModelError) {
    rouge = reportsROUGE ? RougeMetric() : nil
    read = try model.reading { if case .texts(let read) = $0 { read } else { nil } }
  }

  /// Returns whether the answer is exact, the overlap of the words and ROUGE-L; the names are the correct answer and the
  /// prediction.
  func score(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> ItemScore {
    guard case .answers(let correct) = example.groundTruth else {
      throw ItemScore.malformed(example.item)
    }
    let answer = try read(output).first ?? ""
    let score = AnswerMetric.score(answer, correct: correct)
    return ItemScore(
      [score.isExact ? 1 : 0, score.overlap]
        + (rouge == nil ? [] : [RougeMetric.score(answer, expected: correct)]),
      names: [correct.first ?? "", answer])
  }

  func summary(of score: ItemScore) -> ItemSummary? {
    guard score.names.count == 2, score.values.count > 1 else { return nil }
    return ItemSummary(
      groundTruth: .label(score.names[0]), prediction: .label(score.names[1]),
      isCorrect: score.values[0] != 0, loss: 1 - score.values[1])
  }

  func itemMetrics() -> [any ItemMetric] {
    MetricNames.generatedAnswers.prefix(rouge == nil ? 2 : 3).enumerated().map { index, name in
      RatioItems(name, items.map { $0[index] })
    }
  }

  mutating func add(_ score: ItemScore, of item: ItemReference) throws(ModelError) {
    guard score.values.count == (rouge == nil ? 2 : 3), score.names.count == 2 else {
      throw ItemScore.malformed(item)
    }
    let result = AnswerMetric.Score(isExact: score.values[0] != 0, overlap: score.values[1])
    metric.add(result)
    rouge?.add(score.values.last ?? 0)
    items.append(score.values)
    samples.add(
      SamplePrediction(
        name: item.name, imagePath: nil, groundTruth: score.names[0], prediction: score.names[1],
        isCorrect: result.isExact, loss: 1 - result.overlap))
  }

  func writeReport(into result: inout EvaluationResult) {
    result.metrics += metric.values + (rouge?.values ?? [])
    result.samples = samples
  }
}
