import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

/// The metrics of items with weights are those of repeated items.
@Suite struct ItemMetricTests {
  private func expect(
    _ items: any ItemMetric, _ weights: [Int32], equals expected: [MetricValue],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let values = items.values(weights).filter { !$0.name.hasSuffix("]") }
    let selected = weights.indices.flatMap { Array(repeating: $0, count: Int(weights[$0])) }
    let ones = [Int32](repeating: 1, count: selected.count)
    let repeated = items.selecting(selected).values(ones).filter { !$0.name.hasSuffix("]") }
    for (name, actual) in [("weighted", values), ("selected", repeated)] {
      #expect(actual.map(\.name) == expected.map(\.name), sourceLocation: sourceLocation)
      for (value, other) in zip(actual, expected) {
        #expect(
          (value.value == other.value || agree(value.value, other.value))
            && value.unit == other.unit && value.direction == other.direction,
          "\(name) \(value) is not \(other)", sourceLocation: sourceLocation)
      }
    }
  }

  private func weights(_ count: Int, _ random: inout SeededGenerator) -> [Int32] {
    let weights = (0..<count).map { _ in Int32.random(in: 0...3, using: &random) }
    return weights.allSatisfy { $0 == 0 } ? [Int32](repeating: 1, count: count) : weights
  }

  @Test(arguments: 0..<40)
  func `Weighted errors of numbers are those of repeated numbers`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let pairs = (0..<Int.random(in: 2...30, using: &random)).map { _ in
      (
        predicted: Double.random(in: -9...9, using: &random),
        correct: Double(Int.random(in: 0...2, using: &random))
      )
    }
    let weights = weights(pairs.count, &random)
    var metric = RegressionMetric()
    for (pair, weight) in zip(pairs, weights) {
      for _ in 0..<weight { metric.add(pair.predicted, groundTruth: pair.correct) }
    }
    expect(
      RegressionItems(pairs.map { .init([$0], origin: pairs[0].correct) }), weights,
      equals: metric.values)
  }

  @Test(arguments: 0..<40)
  func `Weighted metrics of a decision are those of repeated scores`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let count = Int.random(in: 4...40, using: &random)
    let scores = (0..<count).map { _ in Double(Int.random(in: 0...5, using: &random)) / 5 }
    let arePositive = (0..<count).map { $0 == 0 || $0 > 1 && Bool.random(using: &random) }
    var weights = weights(count, &random)
    (weights[0], weights[1]) = (1, 2)
    var metric = BinaryMetric()
    for index in 0..<count {
      for _ in 0..<weights[index] {
        metric.add(scores[index], isPositive: arePositive[index])
      }
    }
    expect(CurveItems(scores: scores, arePositive: arePositive), weights, equals: metric.values)
  }

  @Test(arguments: 0..<40)
  func `Weighted metrics of labels are those of repeated scores`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let labels = ["a", "b", "c", "d"]
    let count = Int.random(in: 2...30, using: &random)
    let truths = (0..<count).map { _ in Int.random(in: 0..<4, using: &random) }
    let scores = (0..<count).map { _ in
      let numbers = (0..<4).map { _ in Float(Int.random(in: 1...9, using: &random)) }
      return numbers.map { $0 / numbers.reduce(0, +) }
    }
    let weights = weights(count, &random)
    var evaluator = ClassificationEvaluator(output: "", labels: labels) { _ in 0 }
    var metric = ClassificationMetric()
    for index in 0..<count {
      let values = [Double(truths[index])] + scores[index].map(Double.init)
      let item = ItemReference(index: index, name: "", imagePath: nil)
      try evaluator.add(ItemScore(values), of: item)
      for _ in 0..<weights[index] { try metric.add(scores[index], groundTruth: truths[index]) }
    }
    let items = evaluator.itemMetrics()
    let found = items.flatMap { $0.values(weights) }
    for expected in metric.values {
      #expect(agree(found[expected.name]?.value, expected.value), "\(expected)")
    }
  }

  @Test(arguments: 0..<20)
  func `Weighted metrics of boxes are those of repeated images`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    func box() -> BoundingBox {
      let (x, y) = (
        Double.random(in: 0...60, using: &random), Double.random(in: 0...60, using: &random)
      )
      return BoundingBox(xmin: x, ymin: y, xmax: x + 40, ymax: y + 40)
    }
    var (images, all): ([DetectionMetric], DetectionMetric) = ([], DetectionMetric())
    let weights = weights(6, &random)
    for weight in weights {
      let truth = (0..<3).map { GroundTruthBox(category: $0 % 2, box: box()) }
      let found = truth.map {
        PredictedBox(
          category: $0.category, box: Bool.random(using: &random) ? $0.box : box(),
          score: Double.random(in: 0...1, using: &random))
      }
      var image = DetectionMetric()
      image.add(found, groundTruth: truth)
      images.append(image)
      for _ in 0..<weight { all.add(found, groundTruth: truth) }
    }
    expect(
      MergedItems(images, empty: DetectionMetric(), itemCost: 1), weights, equals: all.values)
  }

  @Test func `Resampling 10,000 items does not depend on the number of threads`() {
    let areCorrect = (0..<10_000).map { $0 % 7 != 0 }
    let bootstrap = Bootstrap(itemCount: areCorrect.count, cost: areCorrect.count)
    #expect(bootstrap.resampleCount == Bootstrap.maxResamples)
    #expect(bootstrap.weights(ofResample: 3) == bootstrap.weights(ofResample: 3))
    #expect(bootstrap.weights(ofResample: 3) != bootstrap.weights(ofResample: 4))
    #expect(bootstrap.weights(ofResample: 3).reduce(0, +) == 10_000)
  }

  @Test func `A metric that takes long has fewer resamples`() {
    #expect(Bootstrap(itemCount: 5000, cost: 20_000_000).resampleCount == 200)
  }

  @Test func `A single item and equal items have intervals without surprises`() {
    var table = ItemTable(
      [ItemOutcome(name: "a", isCorrect: true)], metrics: [RatioItems("top1", areCorrect: [true])])
    table.resample()
    #expect(table.resampleCount == 0)
    #expect(table.values[0].interval?.high == 1)
    #expect(table.reasonAgainstInterval(of: "top1") == "a single item does not vary")
    var equal = ItemTable(
      (0..<9).map { ItemOutcome(name: "\($0)") },
      metrics: [RatioItems("loss", unit: .number, [Double](repeating: 2, count: 9))])
    equal.resample()
    #expect(equal.values[0].interval == ConfidenceInterval(low: 2, high: 2, method: .bootstrap))
    #expect(ConfidenceInterval(successes: 1, of: 0) == nil)
    #expect(ConfidenceInterval(successes: 3, of: 2) == nil)
  }
}
