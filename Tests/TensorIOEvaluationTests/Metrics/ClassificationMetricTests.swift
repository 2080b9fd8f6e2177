import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct ClassificationMetricTests {
  private static func examples(seed: UInt64, classes: Int = 7) -> [(scores: [Float], truth: Int)] {
    var random = SeededGenerator(seed: seed)
    return (0..<50).map { _ in
      let scores = (0..<classes).map { _ in Float.random(in: 0...1, using: &random) }
      let sum = scores.reduce(0, +)
      return (scores.map { $0 / sum }, Int.random(in: 0..<classes, using: &random))
    }
  }

  private func metric(_ examples: [(scores: [Float], truth: Int)]) throws -> ClassificationMetric {
    var metric = ClassificationMetric()
    for example in examples { try metric.add(example.scores, groundTruth: example.truth) }
    return metric
  }

  @Test(arguments: 1...20)
  func `the order of examples changes nothing`(seed: UInt64) throws {
    let examples = Self.examples(seed: seed)
    var random = SeededGenerator(seed: seed)
    let ours = try metric(examples)
    let others = try metric(examples.shuffled(using: &random))
    #expect(ours.confusion == others.confusion && ours.topK == others.topK)
    #expect(ours.values.map(\.name) == others.values.map(\.name))
    #expect(agree(ours.values.map(\.value), others.values.map(\.value)))
  }

  @Test(arguments: 1...20)
  func `renaming the classes changes no figure`(seed: UInt64) throws {
    let examples = Self.examples(seed: seed)
    let turned = examples.map { (Array($0.scores.reversed()), $0.scores.count - 1 - $0.truth) }
    let (ours, others) = (try metric(examples).values, try metric(turned).values)
    // Sums of floats are rounded in another order.
    #expect(agree(ours.map(\.value), others.map(\.value), within: 1e-6))
  }

  @Test func `perfect answers are worth 1, and cost nothing`() throws {
    let examples = (0..<30).map { index in
      (scores: (0..<6).map { Float($0 == index % 6 ? 1 : 0) }, truth: index % 6)
    }
    for figure in try metric(examples).values {
      #expect(agree(figure.value, figure.direction == .higher ? 1 : 0, within: 1e-9))
    }
  }

  @Test func `every figure has its name, and those that say nothing are left out`() throws {
    let wide = try metric([([0.1, 0.2, 0.3, 0.1, 0.2, 0.1], 2)])
    #expect(
      wide.values.map(\.name) == [
        "top1", "top5", "precision", "recall", "f1", "balanced_accuracy", "loss", "brier", "ece",
      ])
    let narrow = try metric([([3, -2], 0)])
    #expect(
      narrow.values.map(\.name) == ["top1", "precision", "recall", "f1", "balanced_accuracy"])
    #expect(ClassificationMetric().values.isEmpty)
  }

  @Test func `equal scores rank as Classification has them, what is no number last`() throws {
    let scores: [Float] = [.nan, 0.5, 0.5, 0.9, .nan]
    let order = Classification(labels: [], scores: scores).top().map(\.index)
    for truth in scores.indices {
      var hits = TopKAccuracy([1, 2, 3, 4, 5])
      hits.add(scores, groundTruth: truth)
      for depth in 1...5 {
        #expect(hits.accuracy(k: depth) == (order.prefix(depth).contains(truth) ? 1 : 0))
      }
    }
    var metric = ClassificationMetric()
    try metric.add(scores, groundTruth: 3)
    #expect(metric.confusion[actual: 3, predicted: 3] == 1)
    #expect(metric.probabilities.logLoss == nil)
  }

  @Test func `an example that does not fit is refused, and leaves no trace`() throws {
    var metric = ClassificationMetric()
    try metric.add([0.5, 0.5], groundTruth: 0)
    let before = metric.values
    #expect(throws: ModelError(.output, .wrongCount(expected: 2, actual: 3))) {
      try metric.add([0, 1, 0], groundTruth: 0)
    }
    for truth in [-1, 2] {
      #expect(throws: ModelError(.input, .labelOutOfRange(value: truth, count: 2))) {
        try metric.add([0, 1], groundTruth: truth)
      }
    }
    #expect(metric.values == before)
    #expect(throws: ModelError.self) { try metric.add([], groundTruth: 0) }
  }

  @Test func `the most frequent mistakes come first`() {
    var confusion = ConfusionMatrix()
    for (truth, found) in [(1, 2), (0, 2), (1, 2), (3, 3), (0, 1)] {
      confusion.add(found, actual: truth)
    }
    #expect(confusion.misclassifications.map(\.count) == [2, 1, 1])
    #expect(confusion.misclassifications.map(\.cell.actual) == [1, 0, 0])
    #expect(confusion.misclassifications.map(\.cell.predicted) == [2, 1, 2])
    #expect(confusion[class: 99].scores == .init(precision: 0, recall: 0, f1: 0))
  }

  @Test func `one class in a thousand takes the memory of its examples`() {
    var confusion = ConfusionMatrix()
    for index in 0..<10_000 { confusion.add(index % 1000, actual: (index / 2) % 1000) }
    #expect(confusion.cells.count <= 2000 && confusion.count == 10_000)
  }
}
