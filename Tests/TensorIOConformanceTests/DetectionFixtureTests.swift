import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Published detectors with raw outputs.
@Suite struct DetectionFixtureTests {
  private static let yolox = "tasks/yolox_nano_coco.onnx"
  private static let ultraface = "tasks/ultraface.onnx"
  private static let blazeFace = "tasks/face_detection_short_range.tflite"

  private static func isAvailable(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: SharedFixtures.path(name))
  }

  /// Returns the detections of a model in an image.
  private static func detections(
    of name: String, in image: String, input: String, outputs: String, task: String
  ) throws -> (detections: Detections, image: ImageBuffer) {
    let folder = try TemporaryFolder()
    let isONNX = name.hasSuffix(".onnx")
    let file = isONNX ? "model.onnx" : "model.tflite"
    try folder.write(
      """
      {"name": "Objects", "details": "", "id": "objects", "version": "1", "author": "",
       "license": "", "model": {"file": "\(file)", "quantized": false,
         "backend": "\(isONNX ? "onnx" : "tflite")", "modes": ["predict"]},
       "inputs": [{"name": "image", "type": "image", \(input)}],
       "outputs": [\(outputs)], "task": {"type": "detection", \(task)}}
      """, to: "x.tiobundle/model.json")
    try FileManager.default.copyItem(
      atPath: SharedFixtures.path(name), toPath: "\(folder.path)/x.tiobundle/\(file)")
    let picture = try ImageBuffer(contentsOf: SharedFixtures.path("tasks/\(image)"))
    return (
      try Model(bundleAt: "\(folder.path)/x.tiobundle").run(picture).detections, picture
    )
  }

  @Test(.enabled(if: isAvailable(yolox))) func `YOLOX finds the dog, the bicycle and the car`()
    throws
  {
    let (detections, _) = try Self.detections(
      of: Self.yolox, in: "dog.jpg",
      input: """
        "shape": [1, 3, 416, 416], "format": "BGR", "layout": "NCHW", "fit": "letterbox",
        "fit_anchor": "top-left", "pad": [114, 114, 114], "filter": "linear"
        """,
      outputs: #"{"name": "output", "type": "array", "shape": [1, 3549, 85], "role": "boxes"}"#,
      task: #""head": "yolox", "threshold": 0.5"#)
    // The indices are those of COCO: bicycle, car, dog.
    #expect(Set(detections.map(\.label)).isSuperset(of: ["1", "2", "16"]))
    let dog = try #require(detections.first { $0.label == "16" })
    #expect(dog.score > 0.8)
    #expect(abs(dog.box.xmin - 133) < 12 && abs(dog.box.ymax - 542) < 12, "\(dog)")
  }

  @Test(.enabled(if: isAvailable(ultraface))) func `Ultraface finds the face`() throws {
    let (detections, _) = try Self.detections(
      of: Self.ultraface, in: "portrait.jpg",
      input: """
        "shape": [1, 3, 240, 320], "format": "RGB", "layout": "NCHW", "fit": "stretch",
        "normalize": {"scale": 0.0078125,
          "bias": {"r": -0.9921875, "g": -0.9921875, "b": -0.9921875}}
        """,
      outputs: """
        {"name": "scores", "type": "array", "shape": [1, 4420, 2], "role": "scores"},
        {"name": "boxes", "type": "array", "shape": [1, 4420, 4], "role": "boxes"}
        """,
      task:
        #""head": "prior-decoded", "background_class": "first", "threshold": 0.7, "label": "face""#)
    #expect(detections.map(\.label) == ["face"])
    #expect(try #require(detections.first).score > 0.99)
  }

  @Test(.enabled(if: isAvailable(blazeFace))) func `BlazeFace finds the same face as Ultraface`()
    throws
  {
    let (detections, image) = try Self.detections(
      of: Self.blazeFace, in: "portrait.jpg",
      input: """
        "shape": [1, 128, 128, 3], "format": "RGB", "fit": "letterbox", "filter": "linear",
        "normalize": {"standard": "[-1,1]"}
        """,
      outputs: """
        {"name": "boxes", "type": "array", "shape": [1, 896, 16], "role": "boxes"},
        {"name": "scores", "type": "array", "shape": [1, 896, 1], "role": "scores"}
        """,
      task: """
        "head": "ssd", "strides": [8, 16, 16, 16], "threshold": 0.5, "iou": 0.3,
        "suppression": "weighted", "label": "face"
        """)
    #expect(detections.count == 1)
    let face = try #require(detections.first)
    #expect(face.score > 0.9 && face.keypoints.count == 6)
    #expect(face.box.width > Double(image.width) / 10)
    #expect(face.keypoints.allSatisfy { $0.y > face.box.ymin - face.box.height })
  }
}
