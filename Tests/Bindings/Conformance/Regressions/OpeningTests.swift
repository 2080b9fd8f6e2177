import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// Bundles whose model and description do not match.
@Suite struct OpeningTests {
  static func folder(model: String, layer: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    _ = try folder.write(
      """
      {"name": "x", "details": "", "id": "x", "version": "1", "author": "", "license": "",
       "model": {"file": "x.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
       "inputs": [\(layer)], "outputs": [{"name": "y", "type": "array", "shape": [4]}]}
      """, to: "x.tiobundle/model.json")
    let model = ProjectFiles.path("Tests/Fixtures/Models/\(model).tflite")
    _ = try folder.copy(model, as: "x.tiobundle/x.tflite")
    return folder
  }

  @Test(arguments: [
    ("unknown-operator", #"{"name": "x", "type": "array", "shape": [4]}"#),
    ("removed-operator", #"{"name": "x", "type": "array", "shape": [4]}"#),
    ("double-float32", #"{"name": "x", "type": "array", "shape": [5]}"#),
  ])
  func `An error of opening names the bundle`(_ model: String, _ layer: String) throws {
    let folder = try Self.folder(model: model, layer: layer)
    let error = #expect(throws: ModelError.self) {
      try Model(at: "\(folder.path)/x.tiobundle")
    }
    #expect(error?.file?.hasPrefix(folder.path) == true)
  }
}
