import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

@Suite struct ExplanationReferenceTests {
  private static let tolerance = 2e-6

  /// The score of the goldens: a logistic function of the weighted sum of the pixels.
  private func score(_ pixels: [Double]) -> Double {
    let sum = pixels.enumerated().reduce(0.0) {
      $0 + $1.element * (-1 + 2 * Double($1.offset) / 63)
    }
    return 1 / (1 + exp(-sum))
  }

  @Test func `Occlusion matches the reference`() throws {
    let goldens = try MonitoringGoldens.read()
    let image = goldens.image.flatMap(\.self)
    #expect(isClose(score(image), to: goldens.score, within: Self.tolerance))
    let windows = OcclusionMap.windows(width: 8, height: 8, side: 3, stride: 2)
    let scores = windows.map { window in
      var changed = image
      for y in window.y..<window.y + 3 {
        for x in window.x..<window.x + 3 { changed[y * 8 + x] = 0 }
      }
      return score(changed)
    }
    let map = OcclusionMap.values(windows, scores: scores, base: score(image), width: 8, height: 8)
    #expect(isClose(map, to: goldens.occlusion.flatMap(\.self), within: Self.tolerance))
  }

  @Test func `Windows end at the edges, and can be larger than the image`() {
    let windows = OcclusionMap.windows(width: 7, height: 3, side: 3, stride: 3)
    #expect(windows.map(\.x) == [0, 3, 4] && windows.allSatisfy { $0.y == 0 && $0.width == 3 })
    let whole = OcclusionMap.windows(width: 2, height: 2, side: 9, stride: 4)
    #expect(whole == [.init(x: 0, y: 0, width: 2, height: 2)])
  }

  @Test func `Sampling of masks matches the reference`() throws {
    let goldens = try MonitoringGoldens.read()
    let image = goldens.image.flatMap(\.self)
    var sums = [Double](repeating: 0, count: 64)
    for mask in goldens.riseMasks.map({ $0.flatMap(\.self) }) {
      RandomMasks.add(score(zip(image, mask).map(*)), of: mask, to: &sums)
    }
    let map = sums.map { $0 / (4 * 0.5) }
    #expect(isClose(map, to: goldens.rise.flatMap(\.self), within: 1e-4))
  }

  @Test(arguments: [(28, 28, 8), (31, 5, 8), (64, 48, 7), (1, 1, 1)])
  func `Masks are within 0 and 1, seeded, and half visible`(
    _ width: Int, _ height: Int, _ cells: Int
  ) {
    let masks = RandomMasks(width: width, height: height, cells: cells, probability: 0.5, seed: 1)
    var sum = 0.0
    for index in 0..<200 {
      let mask = masks.mask(at: index)
      #expect(mask.count == width * height && mask.allSatisfy { (0...1).contains($0) })
      sum += mask.reduce(0, +) / Double(mask.count)
    }
    #expect(masks.mask(at: 7) == masks.mask(at: 7) && isClose(sum / 200, to: 0.5, within: 0.1))
  }

  @Test func `Shapley values match the reference, and add up to the difference`() throws {
    let shapley = try MonitoringGoldens.read().shapley
    let plan = ShapleyValues.plan(count: 4)
    let results = plan.subsets.map { subset in
      let v = subset.indices.map { subset[$0] ? shapley.item[$0] : shapley.background[$0] }
      return 2 * v[0] - v[1] + v[2] / 2 + v[0] * v[1]
    }
    let values = ShapleyValues.values(plan, results)
    #expect(isClose(values, to: shapley.values, within: 1e-9))
    #expect(isClose(values.reduce(0, +), to: results[15] - results[0], within: 1e-9))
  }

  @Test func `Sampled values of a few numbers equal those of all subsets`() {
    // A function with interactions, of which all subsets fit the budget.
    func result(_ subset: [Bool]) -> Double {
      let v = subset.map { $0 ? 1.0 : 0 }
      return v[0] + 3 * v[1] * v[2] - 2 * v[3] * v[4] * v[0] + 0.5 * v[5]
    }
    let exact = ShapleyValues.plan(count: 6)
    let sampled = ShapleyValues.sampledPlan(count: 6, budget: 62)
    #expect(sampled.subsets.count == 64)
    #expect(
      isClose(
        ShapleyValues.values(sampled, sampled.subsets.map(result)),
        to: ShapleyValues.values(exact, exact.subsets.map(result)), within: 1e-9))
  }

  @Test func `Sampled values of many numbers are exact for sums, and close for products`() {
    let plan = ShapleyValues.plan(count: 20)
    #expect(plan.subsets.count <= 2 + 2 * 20 + ShapleyValues.maxSampleCount)
    func sum(_ subset: [Bool]) -> Double {
      subset.enumerated().reduce(0) { $0 + ($1.element ? Double($1.offset) : 0) }
    }
    let values = ShapleyValues.values(plan, plan.subsets.map(sum))
    #expect(isClose(values, to: (0..<20).map(Double.init), within: 1e-6))
    let product = ShapleyValues.values(
      plan, plan.subsets.map { $0[3] && $0[9] ? 10.0 : 0 })
    #expect(isClose(product[3], to: 5, within: 0.3) && isClose(product[9], to: 5, within: 0.3))
    #expect(isClose(product.reduce(0, +), to: 10, within: 1e-9))
  }

  @Test func `No number, and one, have values too`() {
    #expect(ShapleyValues.values(ShapleyValues.plan(count: 0), [3]) == [])
    #expect(ShapleyValues.values(ShapleyValues.plan(count: 1), [3, 8]) == [5])
  }

  @Test func `Words are left out with the space after them`() {
    let text = "one  two\nthree"
    let words = WordGroup.groups(of: text, max: 10)
    #expect(words.map(\.text) == ["one", "two", "three"])
    #expect(words.map { $0.removed(from: text) } == ["two\nthree", "one  three", "one  two"])
    #expect(WordGroup.groups(of: "a b c d e", max: 2).map(\.text) == ["a b c", "d e"])
    #expect(WordGroup.groups(of: "  ", max: 2).isEmpty)
  }
}
