import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// A bundle that is opened, and of which a model is made after something has happened to it.
@Suite struct KeptBundleTests {
  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/kept.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a model is never made of one bundle's description and another's files`() throws {
    try install("first")
    let kept = try ModelBundle(at: path)
    try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/old")
    try install("second")
    let error = #expect(throws: ModelError.self) { try open(kept) }
    #expect(error?.reason == .bundleChanged)
    #expect(error?.file == path)
    #expect(error?.code == "exchanged-bundle")
    #expect(try open(ModelBundle(at: path)).bundle.name == "second")
  }

  @Test func `a description that is changed in its place is another one`() throws {
    try install("first")
    let kept = try ModelBundle(at: path)
    try description("other").write(toFile: "\(path)/model.json", atomically: false, encoding: .utf8)
    let error = #expect(throws: ModelError.self) { try open(kept) }
    #expect(error?.reason == .bundleChanged)
  }

  @Test func `a bundle that comes while another is being opened is not mixed with it`() throws {
    try install("first")
    let kept = try ModelBundle(at: path)
    let exchanging = ExchangingBackend(model: FakeBackend(.identity(Self.one))) {
      try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/old")
      try install("second")
    }
    let error = #expect(throws: ModelError.self) { try Model(kept, on: exchanging) }
    #expect(error?.reason == .bundleChanged)
  }

  @Test func `one that was only touched, or put there again, is the same`() throws {
    try install("first")
    let kept = try ModelBundle(at: path)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: "\(path)/model.json")
    #expect(try open(kept).bundle == ModelBundle(at: path))
    try FileManager.default.removeItem(atPath: path)
    try install("first")
    #expect(try open(kept).bundle == ModelBundle(at: path))
  }

  @Test func `what is gone is told as what is missing`() throws {
    try install("first")
    let kept = try ModelBundle(at: path)
    try FileManager.default.removeItem(atPath: path)
    let error = #expect(throws: ModelError.self) { try open(kept) }
    #expect(error?.reason == .missingFile("model.tflite"))
  }

  // MARK: Support

  private static let one = TensorInfo(name: "x", elementType: .float32, shape: [1])

  private func open(_ bundle: ModelBundle) throws(ModelError) -> Model {
    try Model(bundle, on: FakeBackend(.identity(Self.one)))
  }

  private func install(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: "\(path)/model.tflite"))
    try description(name).write(toFile: "\(path)/model.json", atomically: false, encoding: .utf8)
  }

  private func description(_ name: String) -> String {
    """
    {"name": "\(name)", "details": "", "id": "kept", "version": "1", "author": "", "license": "",
     "model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
     "inputs": [{"name": "x", "type": "array", "shape": [1]}],
     "outputs": [{"name": "y", "type": "array", "shape": [1]}]}
    """
  }
}

/// A runtime during whose work something happens.
private struct ExchangingBackend: Backend {
  let identifier = BackendIdentifier.tflite
  let model: FakeBackend
  let happening: @Sendable () throws -> Void

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    #expect(throws: Never.self) { try happening() }
    return try model.load(file, for: use)
  }
}
