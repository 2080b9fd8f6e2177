import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct CurveTests {
  private static func examples(seed: UInt64) -> [(score: Double, isPositive: Bool)] {
    var random = SeededGenerator(seed: seed)
    return (0..<200).map { _ in
      let isPositive = Bool.random(using: &random)
      return (Double(Int.random(in: 0..<30, using: &random)) + (isPositive ? 7 : 0), isPositive)
    }
  }

  private func metric(_ examples: [(score: Double, isPositive: Bool)]) -> BinaryMetric {
    examples.reduce(into: BinaryMetric()) { $0.add($1.score, isPositive: $1.isPositive) }
  }

  @Test(arguments: 1...20)
  func `The order of examples does not matter`(seed: UInt64) {
    let examples = Self.examples(seed: seed)
    var random = SeededGenerator(seed: seed)
    #expect(metric(examples).values == metric(examples.shuffled(using: &random)).values)
  }

  @Test(arguments: 1...20)
  func `Scaling the scores changes only the thresholds`(seed: UInt64) throws {
    let examples = Self.examples(seed: seed)
    let scaled = metric(examples.map { ($0.score * 8 - 3, $0.isPositive) })
    let original = try #require(metric(examples).rocCurve())
    let curve = try #require(scaled.rocCurve())
    #expect(original.area == curve.area)
    #expect(original.equalErrorRate.rate == curve.equalErrorRate.rate)
    #expect(original.youdenPoint.threshold * 8 - 3 == curve.youdenPoint.threshold)
  }

  @Test(arguments: 1...20)
  func `Negating the scores complements the area`(seed: UInt64) throws {
    let examples = Self.examples(seed: seed)
    let negated = metric(examples.map { (-$0.score, $0.isPositive) })
    let area = try #require(metric(examples).rocCurve()?.area)
    #expect(agree(negated.rocCurve()?.area, 1 - area))
  }

  @Test func `Perfect scores have an area of 1 and no error`() throws {
    let metric = metric((0..<20).map { (Double($0), $0 >= 10) })
    let curve = try #require(metric.rocCurve())
    #expect(curve.area == 1 && curve.equalErrorRate.rate == 0 && curve.youdenPoint.threshold == 10)
    #expect(agree(metric.precisionRecallCurve()?.averagePrecision, 1))
    #expect(curve.truePositiveRate(atFalsePositiveRate: 0) == 1)
    #expect(
      metric.values.map(\.name) == ["roc_auc", "eer", "average_precision", "best_threshold"])
  }

  @Test func `The true positive rate is read at a maximum false positive rate`() throws {
    let curve = try #require(
      metric([(4, true), (3, false), (2, true), (1, false), (0, false)]).rocCurve())
    #expect(curve.truePositiveRate(atFalsePositiveRate: 0) == 0.5)
    #expect(curve.truePositiveRate(atFalsePositiveRate: 0.3) == 0.5)
    #expect(curve.truePositiveRate(atFalsePositiveRate: 0.34) == 1)
    #expect(curve.truePositiveRate(atFalsePositiveRate: 1) == 1)
  }

  @Test func `A NaN score ranks below all others`() throws {
    let curve = try #require(metric([(.nan, false), (-1e300, true)]).rocCurve())
    #expect(curve.area == 1)
  }

  @Test func `Examples of a single kind have no ROC curve`() {
    #expect(metric([]).values.isEmpty)
    #expect(metric([(1, false)]).values.isEmpty)
    #expect(metric([(1, true)]).values.map(\.name) == ["average_precision"])
  }

  @Test func `Embeddings of the same identity are expected to be closer`() throws {
    var metric = VerificationMetric()
    let (origin, near, far) = (Embedding([0, 0]), Embedding([0.3, 0.4]), Embedding([3, 4]))
    try metric.add(origin, near, isSameIdentity: true)
    try metric.add(origin, far, isSameIdentity: false)
    #expect(metric.values.first?.value == 1)
    let threshold = try #require(metric.pairScores.rocCurve()?.youdenPoint.threshold)
    #expect(isClose(threshold, to: -0.5, within: 1e-6))
    #expect(throws: ModelError(.input, .wrongCount(expected: 2, actual: 1))) {
      try metric.add(origin, Embedding([1]), isSameIdentity: true)
    }
    #expect(metric.pairScores.count == 2)
  }
}
