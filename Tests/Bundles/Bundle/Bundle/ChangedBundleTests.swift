import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Loading a model from a bundle that changed on disk after it was opened.
@Suite struct ChangedBundleTests {
  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/changing.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `Opening a model of a replaced bundle is rejected`() throws {
    try install("first")
    let bundle = try ModelBundle(at: path)
    try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/old")
    try install("second")
    let error = #expect(throws: ModelError.self) { try open(bundle) }
    #expect(error?.reason == .bundleChanged)
    #expect(error?.file == path)
    #expect(error?.code == "bundle-changed")
    #expect(try open(ModelBundle(at: path)).bundle.name == "second")
  }

  @Test func `The replacement of a bundle with a manifest is detected`() throws {
    try install("first")
    try BundleManifest.write(into: path)
    let bundle = try ModelBundle(at: path)
    try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/old")
    try install("second")
    try BundleManifest.write(into: path)
    let error = #expect(throws: ModelError.self) { try open(bundle) }
    #expect(error?.reason == .bundleChanged)
    #expect(try open(ModelBundle(at: path)).bundle.name == "second")
  }

  @Test func `A description that was modified in place is detected`() throws {
    try install("first")
    let bundle = try ModelBundle(at: path)
    try description("other").write(toFile: "\(path)/model.json", atomically: false, encoding: .utf8)
    let error = #expect(throws: ModelError.self) { try open(bundle) }
    #expect(error?.reason == .bundleChanged)
  }

  @Test func `A replacement while the model loads is detected`() throws {
    try install("first")
    let bundle = try ModelBundle(at: path)
    let backend = ReplacingBackend(model: FakeBackend(.identity(Self.one))) {
      try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/old")
      try install("second")
    }
    let error = #expect(throws: ModelError.self) { try Model(bundle, on: backend) }
    #expect(error?.reason == .bundleChanged)
  }

  @Test func `A bundle with changed metadata or identical contents is unchanged`() throws {
    try install("first")
    let bundle = try ModelBundle(at: path)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: "\(path)/model.json")
    #expect(try open(bundle).bundle == ModelBundle(at: path))
    try FileManager.default.removeItem(atPath: path)
    try install("first")
    #expect(try open(bundle).bundle == ModelBundle(at: path))
  }

  @Test func `A deleted bundle is reported as a missing file`() throws {
    try install("first")
    let bundle = try ModelBundle(at: path)
    try FileManager.default.removeItem(atPath: path)
    let error = #expect(throws: ModelError.self) { try open(bundle) }
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
    {"name": "\(name)", "details": "", "id": "changing", "version": "1", "author": "", "license": "",
     "model": {"file": "model.tflite", "quantized": false, "backend": "tflite", "modes": ["predict"]},
     "inputs": [{"name": "x", "type": "array", "shape": [1]}],
     "outputs": [{"name": "y", "type": "array", "shape": [1]}]}
    """
  }
}

/// A backend that runs a closure while it loads a model.
private struct ReplacingBackend: Backend {
  let identifier = BackendIdentifier.tflite
  let model: FakeBackend
  let action: @Sendable () throws -> Void

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    #expect(throws: Never.self) { try action() }
    return try model.load(file, for: use)
  }
}
