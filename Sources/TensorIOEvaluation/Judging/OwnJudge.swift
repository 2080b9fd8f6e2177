internal import TensorIOCore

/// Judges by a metric of the application's own, or by one that works as those do.
struct OwnJudge: Judge {
  private let metric: any ExampleMetric
  private var examples: [[String: Double]] = []

  init(_ metric: any ExampleMetric) {
    self.metric = metric
  }

  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement {
    let figures = try metric.evaluate(output, truth: example.truth.values).sorted { $0.key < $1.key }
    return Judgement(figures.map(\.value), names: figures.map(\.key))
  }

  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError) {
    guard judgement.names.count == judgement.numbers.count else { throw Judgement.unreadable(item) }
    examples.append(
      Dictionary(zip(judgement.names, judgement.numbers), uniquingKeysWith: { first, _ in first }))
  }

  func report(into result: inout EvaluationResult) {
    result.figures += metric.reduce(examples)
  }
}

extension EvaluationExample.Truth {
  /// What is right, as values by name; boxes and masks are none.
  fileprivate var values: [String: LayerValue] {
    switch self {
    case .values(let values): values
    case .labels(let labels): labels.mapValues { .strings($0.map { Array($0.utf8) }) }
    case .boxes, .mask: [:]
    }
  }
}
