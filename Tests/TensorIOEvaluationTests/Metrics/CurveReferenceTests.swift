import Testing
@testable import TensorIOEvaluation

private struct CurveCase: Decodable {
  struct ROC: Decodable {
    /// Rates of false and of true positives, and thresholds; `nil` is infinite.
    let all, short: [[Double?]]
    let area, equalError: Double
    let best: [Double?]
  }
  struct PrecisionRecall: Decodable {
    /// Precisions, recalls and thresholds, of which the end has none.
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
  func `the ROC curve is scikit-learn's, with and without intermediate points`(
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
  func `the equal error and the best threshold are scipy's and numpy's`(file: Reference) throws {
    for example in try file.cases(CurveCase.self) {
      guard let expected = example.roc else { continue }
      let curve = try #require(example.metric.rocCurve(droppingIntermediate: false))
      #expect(agree(curve.equalErrorRate.rate, expected.equalError))
      let best = curve.youdenPoint
      let found = [best.falsePositiveRate, best.truePositiveRate, best.threshold.ifFinite]
      #expect(found == expected.best)
    }
  }

  @Test(arguments: files)
  func `the precision-recall curve is scikit-learn's`(file: Reference) throws {
    for example in try file.cases(CurveCase.self) {
      let all = example.metric.precisionRecallCurve()
      let short = example.metric.precisionRecallCurve(droppingIntermediate: true)
      #expect(all?.columns == example.precisionRecall?.all)
      #expect(short?.columns == example.precisionRecall?.short)
      #expect(agree(all?.averagePrecision, example.precisionRecall?.average))
    }
  }
}
