import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

private struct AnnotatedImage {
  let groundTruth: [GroundTruthBox]
  let predictions: [PredictedBox]

  /// Returns random objects with slightly displaced predictions, and random false positives.
  static func random(
    _ random: inout SeededGenerator, objects: Int, falsePositives: Int
  ) -> AnnotatedImage {
    let groundTruth = (0..<objects).map { _ in
      GroundTruthBox(category: .random(in: 0..<5, using: &random), box: .random(&random))
    }
    let predictions = groundTruth.map {
      PredictedBox(
        category: $0.category, box: $0.box.moved(by: .random(in: 0..<12, using: &random)),
        score: .random(in: 0..<1, using: &random))
    }
    let others = (0..<falsePositives).map { _ in
      PredictedBox(
        category: .random(in: 0..<5, using: &random), box: .random(&random),
        score: .random(in: 0..<1, using: &random))
    }
    return AnnotatedImage(groundTruth: groundTruth, predictions: predictions + others)
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

@Suite(.ownThreads) struct DetectionMetricTests {
  private func metric(_ images: [AnnotatedImage]) -> DetectionMetric {
    images.reduce(into: DetectionMetric()) { $0.add($1.predictions, groundTruth: $1.groundTruth) }
  }

  @Test(arguments: 1...20)
  func `The order of images and boxes does not matter without equal scores`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let images = (0..<8).map { _ in AnnotatedImage.random(&random, objects: 4, falsePositives: 6) }
    let shuffled = images.shuffled(using: &random).map {
      AnnotatedImage(
        groundTruth: $0.groundTruth.shuffled(using: &random),
        predictions: $0.predictions.shuffled(using: &random))
    }
    #expect(metric(images).report == metric(shuffled).report)
  }

  @Test func `Perfect boxes have metrics of 1`() {
    var random = SeededGenerator(seed: 5)
    let images = (0..<9).map { _ in
      let groundTruth = AnnotatedImage.random(&random, objects: 6, falsePositives: 0).groundTruth
      return AnnotatedImage(
        groundTruth: groundTruth,
        predictions: groundTruth.map {
          PredictedBox(category: $0.category, box: $0.box, score: 0.5)
        })
    }
    for value in metric(images).values where !["ar1", "map_small"].contains(value.name) {
      #expect(agree(value.value, 1), "\(value)")
    }
  }

  @Test func `Detections in a crowd are ignored`() {
    var random = SeededGenerator(seed: 6)
    let box = BoundingBox(xmin: 0, ymin: 0, xmax: 40, ymax: 40)
    let crowd = GroundTruthBox(
      category: 1, box: BoundingBox(xmin: 100, ymin: 0, xmax: 300, ymax: 200), isCrowd: true)
    let image = AnnotatedImage(
      groundTruth: [GroundTruthBox(category: 1, box: box), crowd],
      predictions: [PredictedBox(category: 1, box: box, score: 0.1)]
        + (0..<9).map { _ in
          let x = Double.random(in: 100..<250, using: &random)
          return PredictedBox(
            category: 1, box: BoundingBox(xmin: x, ymin: 20, xmax: x + 30, ymax: 60), score: 0.9)
        })
    #expect(agree(metric([image]).report.averagePrecision(), 1))
  }

  @Test func `Metrics are undefined without objects`() {
    let falsePositive = PredictedBox(
      category: 1, box: BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9), score: 1)
    for images in [
      [], [AnnotatedImage(groundTruth: [], predictions: [])],
      [AnnotatedImage(groundTruth: [], predictions: [falsePositive])],
    ] {
      #expect(metric(images).values.isEmpty && metric(images).report.categories.isEmpty)
      #expect(metric(images).report.category(1) == nil)
    }
    let missed = AnnotatedImage(
      groundTruth: [GroundTruthBox(category: 1, box: falsePositive.box)], predictions: [])
    #expect(metric([missed]).report.averagePrecision() == 0)
    #expect(metric([missed]).report.averagePrecision(area: .large) == nil)
    #expect(metric([missed]).report.averagePrecision(iou: 0.51) == nil)
  }

  @Test func `Boxes and scores with NaN are tolerated`() {
    let box = BoundingBox(xmin: 0, ymin: 0, xmax: 9, ymax: 9)
    let invalid = BoundingBox(xmin: .nan, ymin: 0, xmax: 9, ymax: .infinity)
    let image = AnnotatedImage(
      groundTruth: [GroundTruthBox(category: 1, box: box)],
      predictions: [
        PredictedBox(category: 1, box: box, score: .nan),
        PredictedBox(category: 1, box: invalid, score: 0),
        PredictedBox(category: 1, box: box, score: 0.5),
      ])
    #expect(agree(metric([image]).report.averagePrecision(), 1))
  }

  @Test(.hangGuard) func `Evaluating 5,000 images takes seconds`() {
    var random = SeededGenerator(seed: 7)
    let images = (0..<5000).map { _ in
      AnnotatedImage.random(&random, objects: 7, falsePositives: 20)
    }
    var value: Double?
    let time = ThreadTime.measure { value = metric(images).report.averagePrecision() }
    print("COCO metrics of 5,000 images: \(time) of processor time")
    #expect(time < .seconds(120))
    #expect(value.map { $0 > 0 && $0 < 1 } ?? false)
  }
}
