import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Published detectors with raw outputs, as `tensorio init` drafts their bundles.
@Suite struct DetectionFixtureTests {
  private static let yolox = "tasks/yolox_nano_coco.onnx"
  private static let ultraface = "tasks/ultraface.onnx"
  private static let blazeFace = "tasks/face_detection_short_range.tflite"

  private static func isAvailable(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: SharedFixtures.path(name))
  }

  /// Returns the detections of a model in an image, and the image.
  private static func detections(
    of name: String, in image: String, threshold: Float
  ) throws -> (detections: Detections, image: ImageBuffer) {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/model.tiobundle"
    let result = TestConsole.run(["init", SharedFixtures.path(name), "--output", path])
    #expect(result.exitCode == 0, "\(result)")
    let picture = try ImageBuffer(contentsOf: SharedFixtures.path("tasks/\(image)"))
    let output = try Model(at: path).run(picture)
    return (try output.detections { $0.minimumScore = threshold }, picture)
  }

  @Test(.enabled(if: isAvailable(yolox))) func `YOLOX finds the dog, the bicycle and the car`()
    throws
  {
    let (detections, _) = try Self.detections(of: Self.yolox, in: "dog.jpg", threshold: 0.5)
    // The indices are those of COCO: bicycle, car, dog.
    #expect(Set(detections.map(\.label)) == ["1", "2", "16"])
    let dog = try #require(detections.first { $0.label == "16" })
    #expect(dog.score > 0.8)
    #expect(abs(dog.box.xmin - 133) < 12 && abs(dog.box.ymax - 542) < 12, "\(dog)")
  }

  @Test(.enabled(if: isAvailable(ultraface))) func `Ultraface finds the face`() throws {
    let (detections, _) = try Self.detections(
      of: Self.ultraface, in: "portrait.jpg", threshold: 0.7)
    #expect(detections.count == 1)
    #expect(try #require(detections.first).score > 0.99)
  }

  @Test(.enabled(if: isAvailable(blazeFace))) func `BlazeFace finds the face and its points`()
    throws
  {
    let (detections, image) = try Self.detections(
      of: Self.blazeFace, in: "portrait.jpg", threshold: 0.5)
    #expect(detections.map(\.label) == ["face"])
    let face = try #require(detections.first)
    #expect(face.score > 0.9 && face.keypoints.count == 6)
    #expect(face.box.width > Double(image.width) / 10)
    #expect(face.keypoints.allSatisfy { $0.y > face.box.ymin && $0.y < face.box.ymax })
  }

  /// Results of MediaPipe 1.2.3 (FaceDetector of its Python package, with the metadata that
  /// `tensorio pack --into` writes), whose boxes are rounded to whole pixels.
  private struct MediaPipeFace: Sendable {
    /// The part of the photograph, as left, top, width and height; pixels beyond the photograph are black.
    var part: [Int]
    var score: Float
    var box: [Double]
    var points: [Double]
  }

  private static let mediaPipeFaces = [
    MediaPipeFace(
      part: [0, 0, 681, 445], score: 0.9325, box: [232, 107, 465, 340],
      points: [
        293.72, 169.79, 390.76, 171.47, 335.91, 227.35, 336.88, 273.91, 248.93, 190.3, 451.69,
        195.42,
      ]),
    MediaPipeFace(
      part: [180, 60, 340, 340], score: 0.91515, box: [49, 50, 278, 279],
      points: [
        114.62, 111.14, 212.08, 112.16, 161.11, 167.48, 160.85, 216.63, 66.35, 134.75, 263.27,
        137.49,
      ]),
    MediaPipeFace(
      part: [-150, 0, 1081, 445], score: 0.95592, box: [382, 119, 611, 348],
      points: [
        444.42, 178.27, 544.92, 181.14, 491.87, 230.94, 491.44, 280.72, 389.39, 203.27, 602.7,
        208.35,
      ]),
    MediaPipeFace(
      part: [150, -100, 410, 725], score: 0.94104, box: [87, 217, 308, 438],
      points: [
        143.48, 279.27, 238.72, 275.02, 189.49, 330.22, 193.09, 376.19, 98.75, 303.41, 298.2,
        295.49,
      ]),
    MediaPipeFace(
      part: [120, 31, 500, 367], score: 0.93915, box: [113, 85, 337, 309],
      points: [
        173.3, 140.67, 270.27, 143.12, 218.22, 194.42, 218.25, 243.65, 126.01, 164.97, 324.44,
        170.25,
      ]),
  ]

  @Test(.enabled(if: isAvailable(blazeFace)), arguments: mediaPipeFaces)
  private func `BlazeFace as drafted agrees with MediaPipe`(_ expected: MediaPipeFace) throws {
    let photograph = try ImageBuffer(contentsOf: SharedFixtures.path("tasks/portrait.jpg"))
    let part = expected.part
    let shift = AffineMap(a: 1, b: 0, c: 0, d: 1, tx: -Double(part[0]), ty: -Double(part[1]))
    let image = try photograph.warped(by: shift, width: part[2], height: part[3])
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/model.tiobundle"
    _ = TestConsole.run(["init", SharedFixtures.path(Self.blazeFace), "--output", path])
    let detections = try Model(at: path).run(image).detections
    let face = try #require(detections.first)
    #expect(detections.count == 1 && abs(face.score - expected.score) < 0.005, "\(face)")
    // One percent of the side of the box.
    let tolerance = (expected.box[2] - expected.box[0]) / 100
    let box = [face.box.xmin, face.box.ymin, face.box.xmax, face.box.ymax]
    let points = face.keypoints.flatMap { [$0.x, $0.y] }
    try #require(points.count == expected.points.count)
    for (actual, expected) in zip(box + points, expected.box + expected.points) {
      #expect(abs(actual - expected) < tolerance, "\(face)")
    }
  }
}
