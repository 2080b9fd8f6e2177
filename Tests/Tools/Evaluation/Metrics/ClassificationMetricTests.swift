import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct ClassificationMetricTests {
  private static func examples(seed: UInt64, classes: Int = 7) -> [(
    scores: [Float], groundTruth: Int
  )] {
    var random = SeededGenerator(seed: seed)
    return (0..<50).map { _ in
      let scores = (0..<classes).map { _ in Float.random(in: 0...1, using: &random) }
      let sum = scores.reduce(0, +)
      return (scores.map { $0 / sum }, Int.random(in: 0..<classes, using: &random))
    }
  }

  private func metric(_ examples: [(scores: [Float], groundTruth: Int)]) throws
    -> ClassificationMetric
  {
    var metric = ClassificationMetric()
    for example in examples { try metric.add(example.scores, groundTruth: example.groundTruth) }
    return metric
  }

  @Test(arguments: 1...20)
  func `The order of examples does not matter`(seed: UInt64) throws {
    let examples = Self.examples(seed: seed)
    var random = SeededGenerator(seed: seed)
    let first = try metric(examples)
    let second = try metric(examples.shuffled(using: &random))
    #expect(first.confusion == second.confusion && first.topK == second.topK)
    #expect(first.values.map(\.name) == second.values.map(\.name))
    #expect(agree(first.values.map(\.value), second.values.map(\.value)))
  }

  @Test(arguments: 1...20)
  func `Permuting the classes does not change metrics`(seed: UInt64) throws {
    let examples = Self.examples(seed: seed)
    let reversed = examples.map {
      (Array($0.scores.reversed()), $0.scores.count - 1 - $0.groundTruth)
    }
    let (first, second) = (try metric(examples).values, try metric(reversed).values)
    // Floating-point sums are rounded in a different order.
    #expect(agree(first.map(\.value), second.map(\.value), within: 1e-6))
  }

  @Test func `Perfect predictions have fractions of 1 and errors of 0`() throws {
    let examples = (0..<30).map { index in
      (scores: (0..<6).map { Float($0 == index % 6 ? 1 : 0) }, groundTruth: index % 6)
    }
    for value in try metric(examples).values {
      #expect(agree(value.value, value.direction == .higher ? 1 : 0, within: 1e-9))
    }
  }

  @Test func `Metrics have names and undefined metrics are omitted`() throws {
    let wide = try metric([([0.1, 0.2, 0.3, 0.1, 0.2, 0.1], 2)])
    #expect(
      wide.values.map(\.name) == [
        "top1", "top5", "precision", "recall", "f1", "balanced_accuracy", "log_loss",
        "brier_score", "ece",
      ])
    let narrow = try metric([([3, -2], 0)])
    #expect(
      narrow.values.map(\.name) == ["top1", "precision", "recall", "f1", "balanced_accuracy"])
    #expect(ClassificationMetric().values.isEmpty)
  }

  @Test func `Equal scores rank in output order and NaN ranks last`() throws {
    let scores: [Float] = [.nan, 0.5, 0.5, 0.9, .nan]
    let order = Classification(labels: [], scores: scores).top().map(\.index)
    for correctIndex in scores.indices {
      var topK = TopKAccuracy([1, 2, 3, 4, 5])
      topK.add(scores, groundTruth: correctIndex)
      for k in 1...5 {
        #expect(topK.accuracy(k: k) == (order.prefix(k).contains(correctIndex) ? 1 : 0))
      }
    }
    var metric = ClassificationMetric()
    try metric.add(scores, groundTruth: 3)
    #expect(metric.confusion[actual: 3, predicted: 3] == 1)
    #expect(metric.probabilities.logLoss == nil)
  }

  @Test func `An invalid example is rejected and does not change the metric`() throws {
    var metric = ClassificationMetric()
    try metric.add([0.5, 0.5], groundTruth: 0)
    let before = metric.values
    #expect(throws: ModelError(.output, .wrongCount(expected: 2, actual: 3))) {
      try metric.add([0, 1, 0], groundTruth: 0)
    }
    for index in [-1, 2] {
      #expect(throws: ModelError(.input, .labelOutOfRange(value: index, count: 2))) {
        try metric.add([0, 1], groundTruth: index)
      }
    }
    #expect(metric.values == before)
    #expect(throws: ModelError.self) { try metric.add([], groundTruth: 0) }
  }

  @Test func `The most frequent misclassifications come first`() {
    var confusion = ConfusionMatrix()
    for (actual, predicted) in [(1, 2), (0, 2), (1, 2), (3, 3), (0, 1)] {
      confusion.add(predicted, actual: actual)
    }
    #expect(confusion.misclassifications.map(\.count) == [2, 1, 1])
    #expect(confusion.misclassifications.map(\.cell.actual) == [1, 0, 0])
    #expect(confusion.misclassifications.map(\.cell.predicted) == [2, 1, 2])
    #expect(confusion[class: 99].scores == .init(precision: 0, recall: 0, f1: 0))
  }

  @Test func `A confusion matrix stores only nonzero cells`() {
    var confusion = ConfusionMatrix()
    for index in 0..<10_000 { confusion.add(index % 1000, actual: (index / 2) % 1000) }
    #expect(confusion.cells.count <= 2000 && confusion.count == 10_000)
  }
}
