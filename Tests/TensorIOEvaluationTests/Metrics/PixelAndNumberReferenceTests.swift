import TensorIOCore
import Testing
@testable import TensorIOEvaluation

private struct SegmentationCase: Decodable {
  let classes: Int
  let ignored: Int?
  let found, truth: [[Int]]
  let confusion: [Int]
  let ious, accuracies: [Double?]
  let miou, meanAccuracy, pixelAccuracy: Double?
}

private struct DeviationCase: Decodable {
  let found, truth: [Double]
  let mae, rmse, mse, maxError, bias: Double
  let r2: Double?
}

private struct LatencyCase: Decodable {
  let microseconds: [Int]
  let percentiles: [Double]
}

@Suite struct PixelAndNumberReferenceTests {
  @Test(arguments: Reference.files(of: "segmentation"))
  func `masks are judged as numpy judges them`(file: Reference) throws {
    for example in try file.cases(SegmentationCase.self) {
      var metric = SegmentationMetric(classCount: example.classes, ignoring: example.ignored)
      var small = metric
      for (found, truth) in zip(example.found, example.truth) {
        try metric.add(found, groundTruth: truth)
        try small.add(found.map { UInt8($0) }, groundTruth: truth.map { UInt8($0) })
      }
      #expect(metric.confusion == example.confusion)
      #expect(small.confusion == example.confusion)
      #expect(metric.perClassIoU == example.ious)
      #expect(metric.perClassAccuracy == example.accuracies)
      #expect(agree(metric.meanIoU, example.miou))
      #expect(agree(metric.meanAccuracy, example.meanAccuracy))
      #expect(metric.pixelAccuracy == example.pixelAccuracy)
    }
  }

  @Test(arguments: Reference.files(of: "deviation"))
  func `numbers are judged as scikit-learn judges them`(file: Reference) throws {
    for example in try file.cases(DeviationCase.self) {
      let metric = zip(example.found, example.truth).reduce(into: RegressionMetric()) {
        $0.add($1.0, groundTruth: $1.1)
      }
      #expect(agree(metric.meanAbsoluteError, example.mae))
      #expect(agree(metric.meanSquaredError, example.mse))
      #expect(agree(metric.rootMeanSquaredError, example.rmse))
      #expect(agree(metric.rSquared, example.r2, within: 1e-11))
      #expect(metric.maxError == example.maxError)
      #expect(agree(metric.bias, example.bias))
    }
  }

  @Test(arguments: Reference.files(of: "latency"))
  func `percentiles are numpy's`(file: Reference) throws {
    for example in try file.cases(LatencyCase.self) {
      let record = example.microseconds.reduce(into: LatencyRecord()) {
        $0.add(.microseconds($1))
      }
      #expect(agree(record.metrics().compactMap(\.value), example.percentiles.map { $0 / 1000 }))
    }
  }
}
