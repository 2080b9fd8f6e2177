import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOEvaluation

private struct KeypointCase: Decodable {
  struct Object: Decodable {
    /// The x, y and visibility of each keypoint.
    let keypoints: [Double]
    let area: Double
    let box: [Double]
    let crowd: Bool
  }
  struct Prediction: Decodable {
    let keypoints: [Double]
    let score: Double
  }
  struct Image: Decodable {
    let groundTruth: [Object]
    let predictions: [Prediction]
  }

  let images: [Image]
  /// The ten metrics in the order of pycocotools; −1 if undefined.
  let stats: [Double]

  /// Returns the keypoints that are marked.
  static func keypoints(_ values: [Double]) -> [Pose.Keypoint] {
    COCOKeypoints.names.enumerated().compactMap { index, name in
      values[index * 3 + 2] > 0
        ? Pose.Keypoint(name: name, x: values[index * 3], y: values[index * 3 + 1]) : nil
    }
  }
}

private struct MaskCase: Decodable {
  struct Object: Decodable {
    let category: Int
    /// The starts and ends of runs of pixels.
    let runs: [Int]
    let area: Double
    let crowd: Bool
  }
  struct Prediction: Decodable {
    let category: Int
    let runs: [Int]
    let score: Double
  }
  struct Image: Decodable {
    let groundTruth: [Object]
    let predictions: [Prediction]
  }

  let pixelCount: Int
  let images: [Image]
  let stats: [Double]

  func mask(_ runs: [Int]) -> RegionMask {
    var pixels = [Bool](repeating: false, count: pixelCount)
    for start in stride(from: 0, to: runs.count, by: 2) {
      for pixel in runs[start]..<runs[start + 1] { pixels[pixel] = true }
    }
    return RegionMask(pixels)
  }
}

private struct BoundaryCase: Decodable {
  struct Image: Decodable {
    let width: Int
    let predicted, groundTruth: [Int]
  }

  let images: [Image]
  let labels: [Int]
  let scores: [Double]
  let mean: Double?
}

@Suite(.ownThreads) struct RegionReferenceTests {
  private func agrees(_ values: [MetricValue], _ names: [String], _ stats: [Double]) -> Bool {
    agree(names.map { name in values.first { $0.name == name }?.value ?? -1 }, stats)
  }

  @Test(arguments: Reference.files(of: "keypoints"))
  func `The ten metrics of poses match pycocotools`(file: Reference) throws {
    let names = [
      "map", "map50", "map75", "map_medium", "map_large", "ar", "ar50", "ar75", "ar_medium",
      "ar_large",
    ]
    for example in try file.cases(KeypointCase.self) {
      let metric = example.images.reduce(into: KeypointMetric()) { metric, image in
        metric.add(
          image.predictions.map {
            Pose(keypoints: KeypointCase.keypoints($0.keypoints), score: Float($0.score))
          },
          groundTruth: image.groundTruth.map { object in
            let box = object.box
            return KeypointMetric.GroundTruth(
              KeypointAnnotation(
                keypoints: KeypointCase.keypoints(object.keypoints), area: object.area,
                box: BoundingBox(
                  xmin: box[0], ymin: box[1], xmax: box[0] + box[2], ymax: box[1] + box[3])),
              isCrowd: object.crowd)
          })
      }
      #expect(agrees(metric.values, names, example.stats))
    }
  }

  @Test(arguments: Reference.files(of: "masks"))
  func `The twelve metrics of instance masks match pycocotools`(file: Reference) throws {
    for example in try file.cases(MaskCase.self) {
      let metric = example.images.reduce(into: MaskMetric()) { metric, image in
        metric.add(
          image.predictions.map {
            .init(category: $0.category, mask: example.mask($0.runs), score: $0.score)
          },
          groundTruth: image.groundTruth.map {
            .init(
              category: $0.category, mask: example.mask($0.runs), area: $0.area,
              isCrowd: $0.crowd)
          })
      }
      #expect(agrees(metric.values, DetectionReferenceTests.names, example.stats))
    }
  }

  @Test(arguments: Reference.files(of: "boundaries"))
  func `The boundary F score matches SciPy`(file: Reference) throws {
    for example in try file.cases(BoundaryCase.self) {
      let metric = example.images.reduce(into: BoundaryMetric()) { metric, image in
        metric.add(
          image.predicted, groundTruth: image.groundTruth, width: image.width, ignoring: 255)
      }
      #expect(agree(example.labels.map(metric.score), example.scores))
      #expect(agree(metric.meanScore, example.mean))
    }
  }
}
