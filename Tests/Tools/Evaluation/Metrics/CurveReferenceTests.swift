import Testing

@testable import TensorIOEvaluation

private struct CurveCase: Decodable {
  struct ROC: Decodable {
    /// False positive rates, true positive rates and thresholds; `nil` is infinite.
    let all, short: [[Double?]]
    let area, equalError: Double
    let best: [Double?]
  }
  struct PrecisionRecall: Decodable {
    /// Precisions, recalls and thresholds; the last point has no threshold.
    let all, short: [[Double?]]
    let average: Double
  }

  let scores: [Double]
  let positive: [Bool]
  let roc: ROC?
  let precisionRecall: PrecisionRecall?

  var metric: BinaryMetric {
    zip(scores, positive).reduce(into: BinaryMetric()) { $0.add($1.0, isPositive: $1.1) }
  }
}

extension Double {
  fileprivate var ifFinite: Double? { isFinite ? self : nil }
}

extension ROCCurve {
  fileprivate var columns: [[Double?]] {
    [
      points.map(\.falsePositiveRate), points.map(\.truePositiveRate),
      points.map(\.threshold.ifFinite),
    ]
  }
}

extension PrecisionRecallCurve {
  fileprivate var columns: [[Double?]] {
    [points.map(\.precision), points.map(\.recall), points.dropLast().map(\.threshold)]
  }
}

@Suite struct CurveReferenceTests {
  static let files = Reference.files(of: "curves")

  @Test(arguments: files)
  func `ROC curves match scikit-learn, with and without intermediate points`(
    file: Reference
  ) throws {
    for example in try file.cases(CurveCase.self) {
      let all = example.metric.rocCurve(droppingIntermediate: false)
      let short = example.metric.rocCurve()
      #expect(all?.columns == example.roc?.all)
      #expect(short?.columns == example.roc?.short)
      #expect(agree(all?.area, example.roc?.area))
      #expect(agree(short?.area, example.roc?.area))
    }
  }

  @Test(arguments: files)
  func `Equal error rate and best threshold match SciPy and NumPy`(file: Reference) throws {
    for example in try file.cases(CurveCase.self) {
      guard let expected = example.roc else { continue }
      let curve = try #require(example.metric.rocCurve(droppingIntermediate: false))
      #expect(agree(curve.equalErrorRate.rate, expected.equalError))
      let point = curve.youdenPoint
      let best = [point.falsePositiveRate, point.truePositiveRate, point.threshold.ifFinite]
      #expect(best == expected.best)
    }
  }

  @Test(arguments: files)
  func `Precision-recall curves match scikit-learn`(file: Reference) throws {
    for example in try file.cases(CurveCase.self) {
      let all = example.metric.precisionRecallCurve()
      let short = example.metric.precisionRecallCurve(droppingIntermediate: true)
      #expect(all?.columns == example.precisionRecall?.all)
      #expect(short?.columns == example.precisionRecall?.short)
      #expect(agree(all?.averagePrecision, example.precisionRecall?.average))
    }
  }
}
