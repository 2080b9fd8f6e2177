import TensorIOTestSupport
import Testing

@testable import TensorIOTasks

/// Suppression, order and limit agree with a simple reference implementation.
@Suite struct NonMaximumSuppressionTests {
  @Test(arguments: 0..<1_000)
  func `Suppression agrees with a reference implementation`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let all = (0..<Int.random(in: 0...24, using: &random)).map { _ in detection(&random) }
    let limit = Double.random(in: 0...1, using: &random)
    let top = Int.random(in: 1...24, using: &random)
    let sorted = all.sorted(byScoreOf: \.self)
    var kept: [Detection] = []
    Suppression(kind: .perClass, limit: limit).forEachKept(
      sorted.map(\.box), classes: sorted.map(\.index)
    ) { members in
      kept += members.map { sorted[$0] }
      return kept.count < top
    }
    #expect(kept == Reference.kept(all, limit, top))
  }

  /// Few distinct scores, classes and corners, so that many are equal.
  private func detection(_ random: inout SeededGenerator) -> Detection {
    let (x, y) = (
      Double(Int.random(in: 0...6, using: &random)), Double.random(in: 0...4, using: &random)
    )
    let box = BoundingBox(
      xmin: x, ymin: y, xmax: x + Double(Int.random(in: 1...5, using: &random)), ymax: y + 4)
    let index = Int.random(in: 0...2, using: &random)
    return Detection(
      label: "\(index)", index: index, score: Float(Int.random(in: 0...5, using: &random)) / 5,
      box: box)
  }
}

/// Repeatedly takes the remaining detection with the highest score and drops those that overlap it.
private enum Reference {
  static func kept(_ all: [Detection], _ limit: Double, _ top: Int) -> [Detection] {
    var remaining = all
    var kept: [Detection] = []
    while kept.count < top, let highest = remaining.map(\.score).max() {
      let index = remaining.firstIndex { $0.score == highest } ?? 0
      let best = remaining.remove(at: index)
      kept.append(best)
      remaining.removeAll { $0.index == best.index && overlap($0.box, best.box) > limit }
    }
    return kept
  }

  private static func overlap(_ a: BoundingBox, _ b: BoundingBox) -> Double {
    let width = min(a.xmax, b.xmax) - max(a.xmin, b.xmin)
    let height = min(a.ymax, b.ymax) - max(a.ymin, b.ymin)
    guard width > 0, height > 0 else { return 0 }
    let areaA = (a.xmax - a.xmin) * (a.ymax - a.ymin)
    let areaB = (b.xmax - b.xmin) * (b.ymax - b.ymin)
    return width * height / (areaA + areaB - width * height)
  }
}
