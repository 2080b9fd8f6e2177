import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

/// Published pose models and their published keypoints.
@Suite struct PoseFixtureTests {
  private static let movenet = "tasks/movenet_single_pose_lightning_ptq"
  private static let posenet = "tasks/posenet_mobilenet_v1_075_353_481_16_quant_decoder"

  /// A row of a table of published keypoints, whose coordinates are relative to the image.
  private struct Row {
    let pose, keypoint: Int
    let score, x, y: Double
  }

  private static func isAvailable(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: SharedFixtures.path("\(name).tflite"))
  }

  private static func rows(of name: String) -> [Row] {
    SharedFixtures.lines(of: "\(name)_reference.csv").dropFirst().map { line in
      let fields = line.split(separator: ",").compactMap { Double($0) }
      return Row(
        pose: Int(fields[0]), keypoint: Int(fields[2]), score: fields[3], x: fields[4], y: fields[5]
      )
    }
  }

  /// Returns the poses that a model finds in an image, and the image's size.
  private static func poses(
    of name: String, in image: String, size: (height: Int, width: Int), outputs: String,
    task: String
  ) throws -> (poses: Poses, width: Double, height: Double) {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"name": "Poses", "details": "", "id": "poses", "version": "1", "author": "", "license": "",
       "model": {"file": "model.tflite", "quantized": true, "backend": "tflite"},
       "inputs": [{"name": "image", "type": "image", "shape": [\(size.height), \(size.width), 3],
         "format": "RGB", "fit": "stretch"}],
       "outputs": [\(outputs)], "task": {"type": "pose"\(task)}}
      """, to: "x.tiobundle/model.json")
    try FileManager.default.copyItem(
      atPath: SharedFixtures.path("\(name).tflite"),
      toPath: "\(folder.path)/x.tiobundle/model.tflite")
    let picture = try ImageBuffer(contentsOf: SharedFixtures.path("tasks/\(image)"))
    let poses = try Model(at: "\(folder.path)/x.tiobundle").run(picture).poses
    return (poses, Double(picture.width), Double(picture.height))
  }

  @Test(.enabled(if: isAvailable(movenet))) func `MoveNet finds the published keypoints`() throws {
    let (poses, width, height) = try Self.poses(
      of: Self.movenet, in: "squat.bmp", size: (192, 192),
      outputs: """
        {"name": "keypoints", "type": "array", "shape": [1, 1, 17, 3], "role": "keypoints"}
        """, task: "")
    #expect(poses.count == 1 && poses[0].keypoints.count == 17)
    let rows = Self.rows(of: Self.movenet)
    #expect(rows.count == 17)
    for row in rows {
      let keypoint = poses[0].keypoints[row.keypoint]
      #expect(abs(keypoint.x / width - row.x) < 0.03, "\(keypoint)")
      #expect(abs(keypoint.y / height - row.y) < 0.03, "\(keypoint)")
    }
  }

  @Test(.enabled(if: isAvailable(posenet))) func `PoseNet finds the published keypoints`() throws {
    let (poses, width, height) = try Self.poses(
      of: Self.posenet, in: "test_image.bmp", size: (353, 481),
      outputs: """
        {"name": "points", "type": "array", "shape": [20, 17, 2], "role": "keypoints"},
        {"name": "scores", "type": "array", "shape": [20, 17], "role": "keypoint_scores"},
        {"name": "pose scores", "type": "array", "shape": [20], "role": "scores"},
        {"name": "count", "type": "array", "shape": [1], "role": "count"}
        """, task: #", "label": "person""#)
    #expect(poses.count == 2 && poses.inconsistencies.isEmpty)
    let rows = Self.rows(of: Self.posenet)
    #expect(rows.count == 34)
    for row in rows {
      let keypoint = poses[row.pose].keypoints[row.keypoint]
      #expect(abs(keypoint.x / width - row.x) < 0.01, "\(keypoint)")
      #expect(abs(keypoint.y / height - row.y) < 0.01, "\(keypoint)")
      #expect(abs(Double(keypoint.score) - row.score) < 0.1, "\(keypoint)")
    }
  }
}
