import TensorIOTasks
import Testing
@testable import TensorIOEvaluation

private struct DetectionCase: Decodable {
  struct Thing: Decodable {
    let category: Int
    let box: [Double]
    let area: Double
    let crowd: Bool
  }
  struct Found: Decodable {
    let category: Int
    let box: [Double]
    let score: Double
  }
  struct Picture: Decodable {
    let truth: [Thing]
    let found: [Found]
  }
  struct Category: Decodable {
    let category: Int
    let ap, ap50, ar: Double
    let precisions50, precisions75: [Double]
  }

  let pictures: [Picture]
  /// COCO's twelve figures in its order, −1 for one that is not known.
  let stats: [Double]
  let categories: [Category]

  var report: DetectionReport {
    pictures.reduce(into: DetectionMetric()) { metric, picture in
      metric.add(picture.found.map(\.judged), groundTruth: picture.truth.map(\.judged))
    }.report
  }
}

extension BoundingBox {
  fileprivate init(edges: [Double]) {
    self.init(xmin: edges[0], ymin: edges[1], xmax: edges[2], ymax: edges[3])
  }
}

extension DetectionCase.Thing {
  fileprivate var judged: GroundTruthBox {
    GroundTruthBox(category: category, box: BoundingBox(edges: box), area: area, isCrowd: crowd)
  }
}

extension DetectionCase.Found {
  fileprivate var judged: PredictedBox {
    PredictedBox(category: category, box: BoundingBox(edges: box), score: score)
  }
}

@Suite struct DetectionReferenceTests {
  static let files = Reference.files(of: "detection")
  static let names = [
    "map", "map50", "map75", "map_small", "map_medium", "map_large", "ar1", "ar10", "ar100",
    "ar_small", "ar_medium", "ar_large",
  ]

  @Test(arguments: files)
  func `the twelve figures are those of pycocotools`(file: Reference) throws {
    for example in try file.cases(DetectionCase.self) {
      let figures = example.report.values
      let ours = Self.names.map { name in figures.first { $0.name == name }?.value ?? -1 }
      #expect(agree(ours, example.stats))
    }
  }

  @Test(arguments: files)
  func `a class's figures and curves are those of pycocotools`(file: Reference) throws {
    for example in try file.cases(DetectionCase.self) {
      let report = example.report
      for expected in example.categories {
        let figures = report.category(expected.category)
        #expect(agree(figures?.averagePrecision ?? -1, expected.ap))
        #expect(agree(figures?.averagePrecision50 ?? -1, expected.ap50))
        #expect(agree(figures?.averageRecall ?? -1, expected.ar))
        let unknown = COCOParameters.recallThresholds.map { _ in -1.0 }
        let half = report.precisions(of: expected.category) ?? unknown
        let more = report.precisions(of: expected.category, iou: 0.75) ?? unknown
        #expect(agree(half, expected.precisions50) && agree(more, expected.precisions75))
      }
    }
  }
}
