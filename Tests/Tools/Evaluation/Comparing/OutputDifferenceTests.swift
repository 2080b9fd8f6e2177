import TensorIOCore
import Testing

@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct OutputDifferenceTests {
  private func difference(
    _ a: LayerValue, _ b: LayerValue, tolerance: Double? = 0
  ) throws -> OutputDifference {
    try OutputDifference(a, b, tolerance: tolerance)
  }

  private func numbers(_ values: [Double]) -> LayerValue { .numbers(Numbers(.doubles(values))) }

  @Test(
    arguments: [
      ([1, 2, 3], [1, 2, 3], 0, 0), ([1, 2, 3], [1, 4, 2], 2, 1),
      ([.nan, 1], [.nan, 1], 0, 0), ([.infinity, 1], [.infinity, 1], 0, 0),
      ([], [], 0, 0),
    ] as [([Double], [Double], Double, Double)])
  func `Numbers are compared by their absolute difference`(
    _ a: [Double], _ b: [Double], _ max: Double, _ mean: Double
  ) throws {
    let difference = try difference(numbers(a), numbers(b))
    #expect(difference.max == max && difference.mean == mean)
    #expect(difference.agrees == (max == 0) && !difference.isLabeled)
  }

  @Test(arguments: [([.nan], [1]), ([.infinity], [-.infinity])] as [([Double], [Double])])
  func `NaN and opposite infinities have an infinite difference`(_ a: [Double], _ b: [Double])
    throws
  {
    let difference = try difference(numbers(a), numbers(b), tolerance: 1e300)
    #expect(difference.max == .infinity && !difference.agrees)
  }

  @Test func `Numbers agree up to the tolerance`() throws {
    #expect(try difference(numbers([1]), numbers([1.5]), tolerance: 0.5).agrees)
    #expect(try !difference(numbers([1]), numbers([1.5]), tolerance: 0.4).agrees)
  }

  @Test func `Without a tolerance, floating-point numbers agree up to the default one`() throws {
    let limit = ModelComparison.defaultTolerance
    for (a, b, agrees) in [
      (1, 1 + limit / 2, true), (0, 2 * limit, false), (20_000, 20_001, true),
      (20_000, 20_003, false), (.infinity, 1, false), (.nan, .nan, true),
    ] {
      #expect(try difference(numbers([a]), numbers([b]), tolerance: nil).agrees == agrees)
    }
    let integers = { (value: Int64) in LayerValue.numbers(Numbers(.integers([value]))) }
    #expect(try !difference(integers(20_000), integers(20_001), tolerance: nil).agrees)
    #expect(try difference(integers(7), integers(7), tolerance: nil).agrees)
  }

  @Test func `Labels agree if the best one is the same`() throws {
    let a = Classification(labels: ["x", "y"], scores: [0.75, 0.25])
    for (scores, agrees) in [([0.5, 0.25], true), ([0.25, 0.75], false)] as [([Float], Bool)] {
      let b = Classification(labels: ["x", "y"], scores: scores)
      let difference = try difference(.classification(a), .classification(b))
      #expect(difference.agrees == agrees && difference.isLabeled)
      #expect(difference.max == Double(abs(0.75 - scores[0])))
    }
  }

  @Test func `A single label is compared by its score`() throws {
    let (a, b) = ([0.75], [0.25]) as ([Float], [Float])
    let difference = try difference(
      .classification(Classification(labels: ["x"], scores: a)),
      .classification(Classification(labels: ["x"], scores: b)))
    #expect(!difference.agrees && !difference.isLabeled)
  }

  @Test func `Strings are equal or have an infinite difference`() throws {
    #expect(try difference(.strings(["a"]), .strings(["a"])).max == 0)
    #expect(try difference(.strings(["a"]), .strings(["b"])).max == .infinity)
  }

  @Test func `Different counts are an error`() {
    #expect(throws: ModelError(.output, .wrongCount(expected: 2, actual: 1))) {
      try difference(numbers([1, 2]), numbers([1]))
    }
  }
}
