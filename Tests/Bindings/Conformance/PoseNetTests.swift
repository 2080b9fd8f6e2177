import Foundation
import TensorIO
import TensorIOTestSupport
import Testing

private enum PoseNetFixture {
  static let name = "tasks/posenet_mobilenet_v1_075_353_481_16_quant_decoder"
  static let model = SharedFixtures.path("\(name).tflite")
  static let isAvailable = FileManager.default.fileExists(atPath: model)
}

/// A published model with the custom operator `PosenetDecoderOp`, and its published keypoints.
@Suite(.enabled(if: PoseNetFixture.isAvailable)) struct PoseNetTests {
  @Test func `PoseNet finds the published keypoints`() throws {
    let folder = try TemporaryFolder()
    let layers = ["points", "scores", "pose scores", "count"].map { name in
      let shapes = [
        "points": "[20,17,2]", "scores": "[20,17]", "pose scores": "[20]", "count": "[1]",
      ]
      return #"{"name": "\#(name)", "type": "array", "shape": \#(shapes[name] ?? "")}"#
    }
    try folder.write(
      """
      {"name": "PoseNet", "details": "", "id": "posenet", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": true, "backend": "tflite"},
       "inputs": [{"name": "image", "type": "image", "shape": [353, 481, 3], "format": "RGB",
         "fit": "stretch"}],
       "outputs": [\(layers.joined(separator: ", "))]}
      """, to: "x.tiobundle/model.json")
    try FileManager.default.copyItem(
      atPath: PoseNetFixture.model, toPath: "\(folder.path)/x.tiobundle/model.tflite")
    let model = try Model(at: "\(folder.path)/x.tiobundle")
    let output = try model.run(
      ImageBuffer(contentsOf: SharedFixtures.path("tasks/test_image.bmp")))
    let points = try output.tensor("points").array(of: Float.self)
    let scores = try output.tensor("scores").array(of: Float.self)
    #expect(try output.tensor("count").array(of: Float.self) == [2])
    let rows = SharedFixtures.lines(of: "\(PoseNetFixture.name)_reference.csv").dropFirst()
    #expect(rows.count == 34)
    for row in rows {
      let fields = row.split(separator: ",").compactMap { Float($0) }
      let index = Int(fields[0]) * 17 + Int(fields[2])
      #expect(abs(points[2 * index + 1] / 481 - fields[4]) < 0.01)
      #expect(abs(points[2 * index] / 353 - fields[5]) < 0.01)
      #expect(abs(scores[index] - fields[3]) < 0.1)
    }
  }
}
