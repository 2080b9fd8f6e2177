import Testing

@testable import TensorIOEvaluation

@Suite struct SignificanceReferenceTests {
  private static let tolerance = 1e-9

  private func reference(_ name: String) throws -> Reference {
    try #require(Reference.files(of: "significance").first { $0.testDescription == "\(name).json" })
  }

  private struct Proportion: Decodable {
    let successes, count: Int
    let low, high: Double
  }

  @Test func `Intervals of proportions match SciPy`() throws {
    for example in try reference("wilson-intervals").cases(Proportion.self) {
      let interval = ConfidenceInterval(successes: example.successes, of: example.count)
      #expect(agree(interval?.low, example.low, within: Self.tolerance))
      #expect(agree(interval?.high, example.high, within: Self.tolerance))
    }
  }

  private struct Discordance: Decodable {
    let first, second: Int
    let probability: Double
  }

  @Test func `The test of McNemar matches the binomial test of SciPy`() throws {
    for example in try reference("mcnemar-tests").cases(Discordance.self) {
      let probability = SignificanceTest.mcNemar(example.first, example.second)
      #expect(agree(probability, example.probability, within: Self.tolerance), "\(example)")
    }
  }

  private struct Table: Decodable {
    let first, second: [Int]
    let probability: Double
  }

  @Test func `The test of Fisher matches SciPy`() throws {
    for example in try reference("fisher-tests").cases(Table.self) {
      let probability = SignificanceTest.fisher(
        (example.first[0], example.first[1]), (example.second[0], example.second[1]))
      #expect(agree(probability, example.probability, within: Self.tolerance), "\(example)")
    }
  }

  private struct Groups: Decodable {
    let first, second: [Double]
    let probability: Double
  }

  @Test func `The test of Welch matches SciPy`() throws {
    for example in try reference("welch-tests").cases(Groups.self) {
      let probability = SignificanceTest.welch(example.first, example.second)
      #expect(agree(probability, example.probability, within: Self.tolerance))
    }
  }

  private struct Adjustment: Decodable {
    let probabilities, adjusted: [Double]
  }

  @Test func `Probabilities of several tests are adjusted by the method of Holm`() throws {
    for example in try reference("holm-adjustments").cases(Adjustment.self) {
      let adjusted = SignificanceTest.adjusted(
        example.probabilities, of: example.probabilities.count)
      #expect(agree(adjusted, example.adjusted, within: Self.tolerance))
    }
  }

  private struct Resampled: Decodable {
    let truth: [Double]
    let predicted, scores: [Double]?
    let intervals: [String: [Double]]

    /// Checks the resampled interval of each metric that the reference has.
    func check(_ metric: any ItemMetric) {
      var table = ItemTable(truth.map { ItemOutcome(name: "\($0)") }, metrics: [metric])
      table.resample()
      #expect(table.resampleCount == 2000)
      for (name, interval) in intervals {
        let found = table.distributions[name].flatMap(ConfidenceInterval.init(resampled:))
        #expect(
          agree([found?.low, found?.high], interval, within: SignificanceReferenceTests.tolerance),
          "\(name): \(String(describing: found)) is not \(interval)")
      }
    }
  }

  @Test func `Resampled averages over classes match scikit-learn`() throws {
    for example in try reference("resampled-classification").cases(Resampled.self) {
      example.check(
        ConfusionItems(
          actual: example.truth.map { Int($0) },
          predicted: try #require(example.predicted).map { Int($0) }, labels: ["a", "b", "c"]))
    }
  }

  @Test func `Resampled areas of curves match scikit-learn`() throws {
    for example in try reference("resampled-curves").cases(Resampled.self) {
      example.check(
        CurveItems(
          scores: try #require(example.scores), arePositive: example.truth.map { $0 == 1 }))
    }
  }

  @Test func `Resampled errors of numbers match scikit-learn`() throws {
    for example in try reference("resampled-regression").cases(Resampled.self) {
      let pairs = zip(try #require(example.predicted), example.truth)
      example.check(RegressionItems(pairs.map { .init([(predicted: $0, correct: $1)]) }))
    }
  }
}
