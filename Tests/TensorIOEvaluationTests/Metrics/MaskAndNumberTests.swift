import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct MaskAndNumberTests {
  @Test func `perfect masks are worth 1`() throws {
    var metric = SegmentationMetric(classCount: 9)
    try metric.add([3, 3, 4, 0], groundTruth: [3, 3, 4, 0])
    #expect(metric.values.map(\.name) == ["miou", "pixel_accuracy", "mean_accuracy"])
    #expect(metric.values.allSatisfy { $0.value == 1 })
  }

  @Test(arguments: 1...10)
  func `the order of masks changes nothing`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let masks = (0..<9).map { _ in
      (0..<2).map { _ in (0..<20).map { _ in UInt8.random(in: 0..<5, using: &random) } }
    }
    var (ours, others) = (SegmentationMetric(classCount: 5), SegmentationMetric(classCount: 5))
    for pair in masks { try ours.add(pair[0], groundTruth: pair[1]) }
    for pair in masks.shuffled(using: &random) { try others.add(pair[0], groundTruth: pair[1]) }
    #expect(ours.confusion == others.confusion)
  }

  @Test(arguments: [
    ([0, 1], [0], ModelError(.input, .wrongCount(expected: 1, actual: 2))),
    ([0, 7], [0, 1], ModelError(.input, .labelOutOfRange(value: 7, count: 3))),
    ([0, 1], [0, -1], ModelError(.input, .labelOutOfRange(value: -1, count: 3))),
    ([0, 255], [0, 1], ModelError(.input, .labelOutOfRange(value: 255, count: 3))),
  ])
  func `a mask that does not fit is refused, and leaves no trace`(
    found: [Int], truth: [Int], error: ModelError
  ) throws {
    var metric = SegmentationMetric(classCount: 3, ignoring: 255)
    #expect(throws: error) { try metric.add(found, groundTruth: truth) }
    #expect(metric.confusion.allSatisfy { $0 == 0 } && metric.values.isEmpty)
  }

  @Test(arguments: 1...20)
  func `the order of numbers changes nothing`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pairs = (0..<300).map { _ in
      (
        found: Double.random(in: 0..<9, using: &random),
        truth: Double.random(in: 0..<9, using: &random)
      )
    }
    let metrics = [pairs, pairs.shuffled(using: &random)].map { pairs in
      pairs.reduce(into: RegressionMetric()) { $0.add($1.found, groundTruth: $1.truth) }
    }
    #expect(agree(metrics[0].values.map(\.value), metrics[1].values.map(\.value)))
  }

  @Test func `right numbers have no error`() {
    let metric = (0..<50).reduce(into: RegressionMetric()) { $0.add(Double($1), groundTruth: Double($1)) }
    #expect(metric.values.map(\.name) == ["mae", "rmse", "r2", "max_error", "bias"])
    #expect(metric.values.map(\.value) == [0, 0, 1, 0, 0])
    #expect(RegressionMetric().values.isEmpty)
  }

  @Test func `a number that is none is seen in every figure`() {
    var metric = RegressionMetric()
    for (found, truth) in [(1.0, 2.0), (.nan, 1), (5, 5)] { metric.add(found, groundTruth: truth) }
    #expect(metric.values.allSatisfy { $0.value?.isNaN ?? false })
  }

  @Test func `latencies are figures in milliseconds`() {
    var record = LatencyRecord()
    #expect(record.metrics().isEmpty)
    for milliseconds in 1...100 { record.add(.milliseconds(milliseconds)) }
    let figures = record.metrics(prefix: "run")
    #expect(figures.map(\.name) == ["run_p50", "run_p90", "run_p99"])
    #expect(figures.compactMap(\.value) == [50, 90, 99])
  }
}
