import TensorIOCore
import Testing

@testable import TensorIOEvaluation

private struct SegmentationCase: Decodable {
  let classes: Int
  let ignored: Int?
  let predicted, groundTruth: [[Int]]
  let confusion: [Int]
  let ious, accuracies: [Double?]
  let miou, meanAccuracy, pixelAccuracy: Double?
}

private struct DeviationCase: Decodable {
  let predicted, groundTruth: [Double]
  let mae, rmse, mse, maxError, bias: Double
  let r2: Double?
}

private struct LatencyCase: Decodable {
  let microseconds: [Int]
  let percentiles: [Double]
}

@Suite struct SegmentationAndRegressionReferenceTests {
  @Test(arguments: Reference.files(of: "segmentation"))
  func `Mask metrics match NumPy`(file: Reference) throws {
    for example in try file.cases(SegmentationCase.self) {
      var metric = SegmentationMetric(classCount: example.classes, ignoring: example.ignored)
      var bytes = metric
      for (predicted, groundTruth) in zip(example.predicted, example.groundTruth) {
        try metric.add(predicted, groundTruth: groundTruth)
        try bytes.add(predicted.map { UInt8($0) }, groundTruth: groundTruth.map { UInt8($0) })
      }
      #expect(metric.confusion == example.confusion)
      #expect(bytes.confusion == example.confusion)
      #expect(metric.perClassIoU == example.ious)
      #expect(metric.perClassAccuracy == example.accuracies)
      #expect(agree(metric.meanIoU, example.miou))
      #expect(agree(metric.meanAccuracy, example.meanAccuracy))
      #expect(metric.pixelAccuracy == example.pixelAccuracy)
    }
  }

  @Test(arguments: Reference.files(of: "deviation"))
  func `Error metrics match scikit-learn`(file: Reference) throws {
    for example in try file.cases(DeviationCase.self) {
      let metric = zip(example.predicted, example.groundTruth).reduce(into: RegressionMetric()) {
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
  func `Percentiles match NumPy`(file: Reference) throws {
    for example in try file.cases(LatencyCase.self) {
      let record = example.microseconds.reduce(into: LatencyRecord()) {
        $0.add(.microseconds($1))
      }
      #expect(agree(record.metrics().compactMap(\.value), example.percentiles.map { $0 / 1000 }))
    }
  }
}
