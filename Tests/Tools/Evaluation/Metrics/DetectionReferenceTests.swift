import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

private struct DetectionCase: Decodable {
  struct Object: Decodable {
    let category: Int
    let box: [Double]
    let area: Double
    let crowd: Bool
  }
  struct Prediction: Decodable {
    let category: Int
    let box: [Double]
    let score: Double
  }
  struct Image: Decodable {
    let groundTruth: [Object]
    let predictions: [Prediction]
  }
  struct Category: Decodable {
    let category: Int
    let ap, ap50, ar: Double
    let precisions50, precisions75: [Double]
  }

  let images: [Image]
  /// The twelve COCO metrics in the order of pycocotools; −1 if undefined.
  let stats: [Double]
  let categories: [Category]

  var report: DetectionReport {
    images.reduce(into: DetectionMetric()) { metric, image in
      metric.add(
        image.predictions.map(\.predictedBox), groundTruth: image.groundTruth.map(\.groundTruthBox))
    }.report
  }
}

extension BoundingBox {
  fileprivate init(edges: [Double]) {
    self.init(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3])
  }
}

extension DetectionCase.Object {
  fileprivate var groundTruthBox: GroundTruthBox {
    GroundTruthBox(category: category, box: BoundingBox(edges: box), area: area, isCrowd: crowd)
  }
}

extension DetectionCase.Prediction {
  fileprivate var predictedBox: PredictedBox {
    PredictedBox(category: category, box: BoundingBox(edges: box), score: score)
  }
}

@Suite(.ownThreads) struct DetectionReferenceTests {
  static let files = Reference.files(of: "detection")
  static let names = [
    "map", "map50", "map75", "map_small", "map_medium", "map_large", "ar1", "ar10", "ar100",
    "ar_small", "ar_medium", "ar_large",
  ]

  @Test(arguments: files)
  func `The twelve COCO metrics match pycocotools`(file: Reference) throws {
    for example in try file.cases(DetectionCase.self) {
      let values = example.report.values
      let actual = Self.names.map { name in values.first { $0.name == name }?.value ?? -1 }
      #expect(agree(actual, example.stats))
    }
  }

  @Test(arguments: files)
  func `Class metrics and curves match pycocotools`(file: Reference) throws {
    for example in try file.cases(DetectionCase.self) {
      let report = example.report
      for expected in example.categories {
        let metrics = report.category(expected.category)
        #expect(agree(metrics?.averagePrecision ?? -1, expected.ap))
        #expect(agree(metrics?.averagePrecision50 ?? -1, expected.ap50))
        #expect(agree(metrics?.averageRecall ?? -1, expected.ar))
        let undefined = COCOParameters.recallThresholds.map { _ in -1.0 }
        let precisions50 = report.precisions(of: expected.category) ?? undefined
        let precisions75 = report.precisions(of: expected.category, iou: 0.75) ?? undefined
        #expect(agree(precisions50, expected.precisions50))
        #expect(agree(precisions75, expected.precisions75))
      }
    }
  }
}
