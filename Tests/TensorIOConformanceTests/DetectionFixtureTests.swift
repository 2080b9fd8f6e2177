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
    let output = try Model(bundleAt: path).run(picture)
    return (try output.detections { $0.threshold = threshold }, picture)
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

  /// MediaPipe 1.2.3 (FaceDetector of its Python package, with the metadata that `tensorio pack --into`
  /// writes) reduces an image without the offset of half a pixel, which moves its boxes by half a cell of
  /// the model's input. The test reduces the image in the same way.
  @Test(.enabled(if: isAvailable(blazeFace))) func `BlazeFace agrees with MediaPipe`() throws {
    let photograph = try ImageBuffer(contentsOf: SharedFixtures.path("tasks/portrait.jpg"))
    let side = Double(max(photograph.width, photograph.height))
    let cell = side / 128
    let padding = (side - Double(photograph.height)) / 2
    let map = AffineMap(
      a: 1 / cell, b: 0, c: 0, d: 1 / cell, tx: 0.5 - 0.5 / cell,
      ty: 0.5 - 0.5 / cell + padding / cell)
    let reduced = try photograph.warped(by: map, width: 128, height: 128)
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/model.tiobundle"
    _ = TestConsole.run(["init", SharedFixtures.path(Self.blazeFace), "--output", path])
    let detections = try Model(bundleAt: path).run(reduced).detections
    let face = try #require(detections.first)
    #expect(detections.count == 1 && abs(face.score - 0.93265) < 0.01, "\(face)")
    // One percent of the side of the box.
    let tolerance = 2.33
    let box = [face.box.xmin, face.box.ymin, face.box.xmax, face.box.ymax]
    for (edge, (expected, offset)) in zip(
      box, [(232.0, 0.0), (107, padding), (465, 0), (340, padding)])
    {
      #expect(abs(edge * cell - offset - expected) < tolerance, "\(box)")
    }
    let points = [
      (293.66, 169.88), (390.69, 171.48), (335.79, 227.34), (336.84, 273.96), (249.04, 190.49),
      (451.77, 195.49),
    ]
    try #require(face.keypoints.count == points.count)
    for (point, expected) in zip(face.keypoints, points) {
      #expect(abs(point.x * cell - expected.0) < tolerance, "\(face.keypoints)")
      #expect(abs(point.y * cell - padding - expected.1) < tolerance, "\(face.keypoints)")
    }
  }
}
