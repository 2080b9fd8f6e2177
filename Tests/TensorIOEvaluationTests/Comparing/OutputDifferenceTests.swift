import TensorIOCore
import Testing
@testable import TensorIOBundle
@testable import TensorIOEvaluation

@Suite struct OutputDifferenceTests {
  private func difference(
    _ a: LayerValue, _ b: LayerValue, tolerance: Double = 0
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
  func `numbers differ by their distance`(
    _ a: [Double], _ b: [Double], _ largest: Double, _ mean: Double
  ) throws {
    let difference = try difference(numbers(a), numbers(b))
    #expect(difference.max == largest && difference.mean == mean)
    #expect(difference.agrees == (largest == 0) && !difference.isLabeled)
  }

  @Test(arguments: [([.nan], [1]), ([.infinity], [-.infinity])] as [([Double], [Double])])
  func `what is no distance is infinitely far`(_ a: [Double], _ b: [Double]) throws {
    let difference = try difference(numbers(a), numbers(b), tolerance: 1e300)
    #expect(difference.max == .infinity && !difference.agrees)
  }

  @Test func `numbers agree up to the tolerance`() throws {
    #expect(try difference(numbers([1]), numbers([1.5]), tolerance: 0.5).agrees)
    #expect(try !difference(numbers([1]), numbers([1.5]), tolerance: 0.4).agrees)
  }

  @Test func `labels agree by the best one`() throws {
    let a = Classification(labels: ["x", "y"], scores: [0.75, 0.25])
    for (scores, agrees) in [([0.5, 0.25], true), ([0.25, 0.75], false)] as [([Float], Bool)] {
      let b = Classification(labels: ["x", "y"], scores: scores)
      let difference = try difference(.classification(a), .classification(b))
      #expect(difference.agrees == agrees && difference.isLabeled)
      #expect(difference.max == Double(abs(0.75 - scores[0])))
    }
  }

  @Test func `a single label tells nothing, so its score counts`() throws {
    let (a, b) = ([0.75], [0.25]) as ([Float], [Float])
    let difference = try difference(
      .classification(Classification(labels: ["x"], scores: a)),
      .classification(Classification(labels: ["x"], scores: b)))
    #expect(!difference.agrees && !difference.isLabeled)
  }

  @Test func `texts are equal or infinitely far`() throws {
    #expect(try difference(.strings([[1]]), .strings([[1]])).max == 0)
    #expect(try difference(.strings([[1]]), .strings([[2]])).max == .infinity)
  }

  @Test func `other counts are no difference but an error`() {
    #expect(throws: ModelError(.output, .wrongCount(expected: 2, actual: 1))) {
      try difference(numbers([1, 2]), numbers([1]))
    }
  }
}
