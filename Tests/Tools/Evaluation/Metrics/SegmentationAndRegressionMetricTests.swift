import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct SegmentationAndRegressionMetricTests {
  @Test func `Perfect masks have metrics of 1`() throws {
    var metric = SegmentationMetric(classCount: 9)
    try metric.add([3, 3, 4, 0], groundTruth: [3, 3, 4, 0])
    #expect(metric.values.map(\.name) == ["miou", "pixel_accuracy", "mean_accuracy"])
    #expect(metric.values.allSatisfy { $0.value == 1 })
  }

  @Test(arguments: 1...10)
  func `The order of masks does not matter`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let masks = (0..<9).map { _ in
      (0..<2).map { _ in (0..<20).map { _ in UInt8.random(in: 0..<5, using: &random) } }
    }
    var (first, second) = (SegmentationMetric(classCount: 5), SegmentationMetric(classCount: 5))
    for pair in masks { try first.add(pair[0], groundTruth: pair[1]) }
    for pair in masks.shuffled(using: &random) { try second.add(pair[0], groundTruth: pair[1]) }
    #expect(first.confusion == second.confusion)
  }

  @Test(arguments: [
    ([0, 1], [0], ModelError(.input, .wrongCount(expected: 1, actual: 2))),
    ([0, 7], [0, 1], ModelError(.input, .labelOutOfRange(value: 7, count: 3))),
    ([0, 1], [0, -1], ModelError(.input, .labelOutOfRange(value: -1, count: 3))),
    ([0, 255], [0, 1], ModelError(.input, .labelOutOfRange(value: 255, count: 3))),
  ])
  func `An invalid mask is rejected and does not change the metric`(
    predicted: [Int], groundTruth: [Int], error: ModelError
  ) throws {
    var metric = SegmentationMetric(classCount: 3, ignoring: 255)
    #expect(throws: error) { try metric.add(predicted, groundTruth: groundTruth) }
    #expect(metric.confusion.allSatisfy { $0 == 0 } && metric.values.isEmpty)
  }

  @Test(arguments: 1...20)
  func `The order of numbers does not matter`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pairs = (0..<300).map { _ in
      (
        predicted: Double.random(in: 0..<9, using: &random),
        groundTruth: Double.random(in: 0..<9, using: &random)
      )
    }
    let metrics = [pairs, pairs.shuffled(using: &random)].map { pairs in
      pairs.reduce(into: RegressionMetric()) { $0.add($1.predicted, groundTruth: $1.groundTruth) }
    }
    #expect(agree(metrics[0].values.map(\.value), metrics[1].values.map(\.value)))
  }

  @Test func `Correct numbers have no error`() {
    let metric = (0..<50).reduce(into: RegressionMetric()) {
      $0.add(Double($1), groundTruth: Double($1))
    }
    #expect(metric.values.map(\.name) == ["mae", "rmse", "r2", "max_error", "bias"])
    #expect(metric.values.map(\.value) == [0, 0, 1, 0, 0])
    #expect(RegressionMetric().values.isEmpty)
  }

  @Test func `A NaN prediction makes every metric NaN`() {
    var metric = RegressionMetric()
    for (predicted, groundTruth) in [(1.0, 2.0), (.nan, 1), (5, 5)] {
      metric.add(predicted, groundTruth: groundTruth)
    }
    #expect(metric.values.allSatisfy { $0.value?.isNaN ?? false })
  }

  @Test func `Latency percentiles are in milliseconds`() {
    var record = LatencyRecord()
    #expect(record.metrics().isEmpty)
    for milliseconds in 1...100 { record.add(.milliseconds(milliseconds)) }
    let metrics = record.metrics(prefix: "run")
    #expect(metrics.map(\.name) == ["run_p50", "run_p90", "run_p99"])
    #expect(metrics.compactMap(\.value) == [50, 90, 99])
  }
}
