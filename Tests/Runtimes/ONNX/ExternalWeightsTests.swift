import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOONNX

@Suite struct ExternalWeightsTests {
  /// Writes a model with a constant in another file, and returns the model's file.
  private func model(
    in folder: TemporaryFolder, location: String, offset: Int? = nil
  ) throws -> ModelFile {
    var external = ["location": location]
    if let offset { external["offset"] = "\(offset)" }
    let sketch = ONNXSketch(
      ONNXSketch.node("Add", ["x", "c"]),
      constants: [ONNXSketch.constant("c", [1], external: external)])
    let path = try folder.write(sketch.bytes, to: "bundle/model.onnx")
    return ModelFile(path: path, name: "model.onnx")
  }

  private func result(of file: ModelFile) throws -> Float {
    let session = try ONNXModels.backend.model(at: file).makeSession(SessionOptions())
    try session.fill(with: [1] as [Float])
    try session.invoke()
    return try #require(try session.output(as: Float.self).numbers.first)
  }

  private static let four: [UInt8] = [0, 0, 0x80, 0x40]  // 4 as a float

  @Test func `Weights are read from files in the model's folder`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.four, to: "bundle/weights.bin")
    #expect(try result(of: model(in: folder, location: "weights.bin")) == 5)
    try folder.write([0] + Self.four, to: "bundle/deep/weights.bin")
    #expect(try result(of: model(in: folder, location: "deep/weights.bin", offset: 1)) == 5)
  }

  @Test func `A file that is missing is named in the error`() throws {
    let folder = try TemporaryFolder()
    let file = try model(in: folder, location: "weights.bin")
    let error = #expect(throws: ModelError.self) { try ONNXModels.backend.model(at: file) }
    #expect(error?.reason == .missingFile("weights.bin"))
  }

  @Test func `A file that is too short is rejected`() throws {
    let folder = try TemporaryFolder()
    try folder.write(Array(Self.four.dropLast()), to: "bundle/weights.bin")
    for offset in [nil, 1, 4, Int.max] {
      let file = try model(in: folder, location: "weights.bin", offset: offset)
      let error = #expect(throws: ModelError.self) { try ONNXModels.backend.model(at: file) }
      #expect(error?.stage == .runtime && error?.code == "model-rejected")
    }
  }

  @Test func `A file outside the model's folder is rejected`() throws {
    let folder = try TemporaryFolder()
    let outside = try folder.write(Self.four, to: "weights.bin")
    try folder.write([], to: "bundle/empty")
    try folder.link("bundle/link.bin", to: outside)
    for location in [outside, "../weights.bin", "link.bin", "", "a/../../weights.bin"] {
      let file = try model(in: folder, location: location)
      let error = #expect(throws: ModelError.self) { try ONNXModels.backend.model(at: file) }
      #expect(error?.reason == .unsafeName(location))
    }
  }

  @Test func `A negative offset is rejected`() throws {
    let folder = try TemporaryFolder()
    let file = try model(in: folder, location: "weights.bin", offset: -4)
    let error = #expect(throws: ModelError.self) { try ONNXModels.backend.model(at: file) }
    #expect(error?.code == "model-rejected")
  }
}
