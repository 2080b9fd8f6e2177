import TensorIOTasks
import TensorIOTestSupport
import Testing
@testable import TensorIOEvaluation

private struct Picture {
  let truth: [GroundTruthBox]
  let found: [PredictedBox]

  /// Things at random, most of them found, somewhat beside where they are.
  static func random(_ random: inout SeededGenerator, things: Int, strays: Int) -> Picture {
    let truth = (0..<things).map { _ in
      GroundTruthBox(category: .random(in: 0..<5, using: &random), box: .random(&random))
    }
    let found = truth.map {
      PredictedBox(
        category: $0.category, box: $0.box.moved(by: .random(in: 0..<12, using: &random)),
        score: .random(in: 0..<1, using: &random))
    }
    let others = (0..<strays).map { _ in
      PredictedBox(
        category: .random(in: 0..<5, using: &random), box: .random(&random),
        score: .random(in: 0..<1, using: &random))
    }
    return Picture(truth: truth, found: found + others)
  }
}

extension BoundingBox {
  fileprivate static func random(_ random: inout SeededGenerator) -> BoundingBox {
    let x = Double.random(in: 0..<400, using: &random)
    let y = Double.random(in: 0..<400, using: &random)
    return BoundingBox(
      xmin: x, ymin: y, xmax: x + .random(in: 8..<150, using: &random),
      ymax: y + .random(in: 8..<150, using: &random))
  }

  fileprivate func moved(by offset: Double) -> BoundingBox {
    BoundingBox(xmin: xmin + offset, ymin: ymin, xmax: xmax + offset, ymax: ymax)
  }
}

@Suite struct DetectionMetricTests {
  private func metric(_ pictures: [Picture]) -> DetectionMetric {
    pictures.reduce(into: DetectionMetric()) { $0.add($1.found, groundTruth: $1.truth) }
  }

  @Test(arguments: 1...20)
  func `the order of pictures and of boxes changes nothing where no scores are equal`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let pictures = (0..<8).map { _ in Picture.random(&random, things: 4, strays: 6) }
    let shuffled = pictures.shuffled(using: &random).map {
      Picture(
        truth: $0.truth.shuffled(using: &random), found: $0.found.shuffled(using: &random))
    }
    #expect(metric(pictures).report == metric(shuffled).report)
  }

  @Test func `perfect boxes are worth 1`() {
    var random = SeededGenerator(seed: 5)
    let pictures = (0..<9).map { _ in
      let truth = Picture.random(&random, things: 6, strays: 0).truth
      return Picture(
        truth: truth, found: truth.map { PredictedBox(category: $0.category, box: $0.box, score: 0.5) })
    }
    for figure in metric(pictures).values where !["ar1", "map_small"].contains(figure.name) {
      #expect(agree(figure.value, 1), "\(figure)")
    }
  }

  @Test func `what is found in a crowd does not count`() {
    var random = SeededGenerator(seed: 6)
    let box = BoundingBox(xmin: 0, ymin: 0, xmax: 40, ymax: 40)
    let crowd = GroundTruthBox(
      category: 1, box: BoundingBox(xmin: 100, ymin: 0, xmax: 300, ymax: 200), isCrowd: true)
    let one = Picture(
      truth: [GroundTruthBox(category: 1, box: box), crowd],
      found: [PredictedBox(category: 1, box: box, score: 0.1)]
        + (0..<9).map { _ in
          let x = Double.random(in: 100..<250, using: &random)
          return PredictedBox(
            category: 1, box: BoundingBox(xmin: x, ymin: 20, xmax: x + 30, ymax: 60), score: 0.9)
        })
    #expect(agree(metric([one]).report.averagePrecision(), 1))
  }

  @Test func `nothing is known without things`() {
    let stray = PredictedBox(category: 1, box: BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9), score: 1)
    for pictures in [[], [Picture(truth: [], found: [])], [Picture(truth: [], found: [stray])]] {
      #expect(metric(pictures).values.isEmpty && metric(pictures).report.categories.isEmpty)
      #expect(metric(pictures).report.category(1) == nil)
    }
    let thing = Picture(truth: [GroundTruthBox(category: 1, box: stray.box)], found: [])
    #expect(metric([thing]).report.averagePrecision() == 0)
    #expect(metric([thing]).report.averagePrecision(area: .large) == nil)
    #expect(metric([thing]).report.averagePrecision(iou: 0.51) == nil)
  }

  @Test func `numbers that are none do no harm`() {
    let box = BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9)
    let broken = BoundingBox(xmin: .nan, ymin: 0, xmax: 9, ymax: .infinity)
    let picture = Picture(
      truth: [GroundTruthBox(category: 1, box: box)],
      found: [
        PredictedBox(category: 1, box: box, score: .nan), PredictedBox(category: 1, box: broken, score: 0),
        PredictedBox(category: 1, box: box, score: 0.5),
      ])
    #expect(agree(metric([picture]).report.averagePrecision(), 1))
  }

  @Test(.timeLimit(.minutes(2))) func `five thousand pictures take seconds`() {
    var random = SeededGenerator(seed: 7)
    let pictures = (0..<5000).map { _ in Picture.random(&random, things: 7, strays: 20) }
    let clock = ContinuousClock()
    var value: Double?
    let time = clock.measure { value = metric(pictures).report.averagePrecision() }
    print("COCO's figures of 5,000 pictures: \(time)")
    #expect(value.map { $0 > 0 && $0 < 1 } ?? false)
  }
}
