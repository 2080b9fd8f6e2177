import TensorIOCore
import TensorIOTestSupport
import Testing

@Suite struct ClassificationSmootherTests {
  private func entries(_ scores: (Int, Float)...) -> [Classification.Entry] {
    scores.map { .init(label: "label \($0.0)", score: $0.1, index: $0.0) }
  }

  private func check(
    _ smoothed: [Classification.Entry], _ expected: [(Int, Float)],
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(smoothed.map(\.index) == expected.map(\.0), sourceLocation: location)
    let isEqual = isClose(
      smoothed.map { Double($0.score) }, to: expected.map { Double($0.1) }, within: 1e-6)
    #expect(isEqual, "\(smoothed)", sourceLocation: location)
  }

  @Test func `A score moves by three tenths toward the new one`() {
    var smoother = ClassificationSmoother.netRunner
    #expect(smoother.entries == nil)
    check(smoother.smooth(entries((7, 0.8), (3, 0.2))), [(7, 0.8), (3, 0.2)])
    check(smoother.smooth(entries((7, 0.4), (3, 0.9))), [(7, 0.68), (3, 0.41)])
    check(smoother.entries ?? [], [(7, 0.68), (3, 0.41)])
  }

  @Test func `A label appears gradually and fades away`() {
    var smoother = ClassificationSmoother.netRunner
    smoother.smooth(entries((1, 1)))
    check(smoother.smooth(entries((2, 1))), [(1, 0.7), (2, 0.3)])
    check(smoother.smooth(entries((2, 1))), [(2, 0.51), (1, 0.49)])
    var count = 0
    while smoother.smooth([]).contains(where: { $0.index == 1 }) { count += 1 }
    #expect(count == 10)  // 0.49 · 0.7¹⁰ = 0.0138; the eleventh is below 0.01
  }

  @Test func `The two applications have different thresholds`() {
    for (smoother, isKept) in [
      (ClassificationSmoother.netRunner, true), (.netRunnerAndroid, false),
    ] {
      var smoother = smoother
      #expect(smoother.smooth(entries((1, 0.015))).isEmpty == !isKept)
    }
  }

  @Test func `Equal scores keep the order of the output, and NaN counts as zero`() {
    var smoother = ClassificationSmoother.netRunner
    check(smoother.smooth(entries((5, 0.5), (2, 0.5), (9, .nan))), [(2, 0.5), (5, 0.5)])
    check(smoother.smooth(entries((5, .nan))), [(2, 0.35), (5, 0.35)])
    smoother.reset()
    check(smoother.smooth(entries((9, 0.6))), [(9, 0.6)])
  }
}
