import Foundation
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOJSON

@Suite struct ModelBundleTests {
  @Test(arguments: [
    (0, ["a", "b", "c"]), (1, ["b", "c"]), (3, []), (7, []), (-2, ["0", "1", "a", "b", "c"]),
  ])
  func `A label offset shifts the labels`(
    offset: Int, labels: [String]
  ) throws {
    let bundle = try TestBundle(
      outputs: #"""
        {"name": "y", "type": "array", "shape": [2],
         "labels": {"file": "labels.txt", "offset": \#(offset)}}
        """#, labels: "a\nb\nc\n")
    let opened = try bundle.read()
    #expect(try opened.labels(for: opened.description.outputs[0]) == labels)
  }

  @Test func `Labels of class indices do not make a classification`() throws {
    let bundle = try TestBundle(
      outputs: #"""
        {"name": "y", "type": "array", "shape": [2], "labels": "labels.txt", "role": "classes"}
        """#, labels: "a\nb\n")
    let output = try bundle.open(.pair).run([1, 0])
    #expect(try [Float](output["y"]) == [1, 0])
    #expect(try output["y"].classification == nil)
  }

  /// Creates a bundle with a description, model and labels, and returns its path.
  private func makeBundle(
    _ folder: borrowing TemporaryFolder, named name: String = "plants.tiobundle",
    fixture: String = "base"
  ) throws -> String {
    let description = try #require(
      DescriptionFixture.valid.first { $0.name == fixture || $0.name.hasPrefix(fixture + "--") }
    )
    try folder.write(try description.bytes(), to: name + "/model.json")
    try folder.write("weights", to: name + "/model.tflite")
    try folder.write("daisy\nrose\n", to: name + "/assets/labels.txt")
    return folder.path + "/" + name
  }

  @Test func `A bundle opens from a path, with or without trailing slash, and from a URL`() throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    let bundle = try ModelBundle(at: path)
    #expect(try ModelBundle(at: path + "//") == bundle)
    #expect(try ModelBundle(at: URL(fileURLWithPath: path)) == bundle)
    #expect(bundle.path == path && bundle.url.path == path)
    #expect(bundle.name == "Plants" && bundle.id == "plants" && bundle.version == "1")
    #expect(bundle.warnings.isEmpty)
    #expect(!bundle.isPlaceholder)
    #expect(bundle.backend == .tflite)
  }

  @Test func `A bundle returns the paths of its files`() throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    let bundle = try ModelBundle(at: path)
    #expect(try bundle.modelFile == ModelFile(path: path + "/model.tflite", name: "model.tflite"))
    #expect(try bundle.path(ofAsset: "labels.txt") == path + "/assets/labels.txt")
    #expect(try bundle.path(ofFile: "assets/labels.txt") == path + "/assets/labels.txt")
    #expect(try bundle.labels(for: bundle.description.outputs[0]) == ["daisy", "rose"])
    #expect(try bundle.labels(for: bundle.description.outputs[1]) == [])
  }

  @Test(arguments: [
    ("", ModelError.Reason.unsafeName("")), (".", .unsafeName(".")), ("..", .unsafeName("..")),
    ("../model.json", .unsafeName("../model.json")), ("a/../../b", .unsafeName("a/../../b")),
    ("/etc/passwd", .unsafeName("/etc/passwd")), ("a\\b", .unsafeName("a\\b")),
    ("labels.txt\0.png", .unsafeName("labels.txt\0.png")), ("a\nb", .unsafeName("a\nb")),
    ("nothing.txt", .missingFile("assets/nothing.txt")),
    ("out.txt", .unsafeName("assets/out.txt")),
    ("up/model.json", .unsafeName("assets/up/model.json")),
    ("labels.txt/", .missingFile("assets/labels.txt/")),
  ])
  func `A path outside the bundle or to a missing file is rejected`(
    name: String, reason: ModelError.Reason
  ) throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    try folder.write("secret", to: "secret")
    try folder.write("{}", to: "model.json")
    try folder.link("plants.tiobundle/assets/out.txt", to: folder.path + "/secret")
    try folder.link("plants.tiobundle/assets/up", to: "../..")
    let bundle = try ModelBundle(at: path)
    let error = #expect(throws: ModelError.self) { try bundle.path(ofAsset: name) }
    #expect(error == ModelError(.bundle, reason, file: path))
  }

  @Test func `Symbolic links within the bundle and to the bundle are followed`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    try folder.link("plants.tiobundle/assets/same.txt", to: "labels.txt")
    try folder.link("link.tiobundle", to: path)
    let bundle = try ModelBundle(at: folder.path + "/link.tiobundle")
    #expect(bundle.path == folder.path + "/link.tiobundle")
    #expect(try bundle.path(ofAsset: "same.txt") == path + "/assets/labels.txt")
  }

  @Test func `A path that is not a bundle is rejected with the reason`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "file.tiobundle")
    func reason(_ path: String) -> ModelError.Reason? {
      #expect(throws: ModelError.self) { try ModelBundle(at: path) }?.reason
    }
    #expect(reason(folder.path + "/qwerty.tiobundle") == .missingBundle)
    #expect(reason("") == .missingBundle)
    #expect(reason("a\0b") == .unsafeName("a\0b"))
    #expect(reason(file) == .notABundle(found: "a file that is not a zip archive"))
    #expect(reason(folder.path) == .missingFile("model.json"))
  }

  @Test func `A description that is too large is not read`() throws {
    let folder = try TemporaryFolder()
    let size = JSONLimits.maxDescriptionBytes + 1
    try folder.write([UInt8](repeating: 0x20, count: size), to: "big.tiobundle/model.json")
    let error = #expect(throws: ModelError.self) {
      try ModelBundle(at: folder.path + "/big.tiobundle")
    }
    #expect(
      error?.reason
        == .oversizedFile("model.json", bytes: size, limit: JSONLimits.maxDescriptionBytes))
  }

  @Test(arguments: [
    ("old.tfbundle", ["deprecated-extension"]), ("plants", ["wrong-extension"]),
    ("plants.zip", ["wrong-extension"]), ("UPPER.TIOBUNDLE", []),
  ])
  func `A folder with another extension opens with a warning`(name: String, codes: [String]) throws
  {
    let folder = try TemporaryFolder()
    let bundle = try ModelBundle(at: try makeBundle(folder, named: name))
    #expect(bundle.warnings.map(\.code) == codes)
  }

  @Test func `A placeholder has no model file`() throws {
    let folder = try TemporaryFolder()
    let bundle = try ModelBundle(at: try makeBundle(folder, fixture: "placeholder"))
    #expect(bundle.isPlaceholder)
    #expect(throws: ModelError.self) { try bundle.modelFile }
    #expect(bundle.warnings.map(\.code) == ["missing-backend", "missing-modes"])
  }

  @Test func `Without a backend, the model file determines it`() throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder, fixture: "no-backend")
    #expect(try ModelBundle(at: path).backend == .tflite)
    try FileManager.default.removeItem(atPath: path + "/model.tflite")
    #expect(try ModelBundle(at: path).backend == .tflite)
    try folder.write("graph", to: "plants.tiobundle/model.tflite/saved_model.pb")
    #expect(try ModelBundle(at: path).backend == .tensorflow)
  }

  private func registry(of name: BackendIdentifier) -> RuntimeRegistry {
    let registry = RuntimeRegistry()
    registry.register(
      RuntimeDescriptor(
        ModelFormat(name, files: [.file(extension: name.rawValue)]), displayName: name.rawValue
      ) { _ in NamedBackend(identifier: name) })
    return registry
  }

  @Test func `An application can open bundles for its own backends`() throws {
    let folder = try TemporaryFolder()
    let fixture = try #require(
      DescriptionFixture.invalid.first { $0.name.hasSuffix("--unknown-backend") })
    try folder.write(try fixture.bytes(), to: "plants.tiobundle/model.json")
    let path = folder.path + "/plants.tiobundle"
    let pytorch = BackendIdentifier(rawValue: "pytorch")
    let options = OpeningOptions(runtimes: registry(of: pytorch))
    #expect(try ModelBundle(at: path, options: options).backend == pytorch)
    let error = #expect(throws: ModelError.self) { try ModelBundle(at: path) }
    #expect(error?.code == "unknown-backend")
    #expect(throws: ModelError.self) {
      let other = registry(of: BackendIdentifier(rawValue: "caffe"))
      return try ModelBundle(at: path, options: OpeningOptions(runtimes: other))
    }
    let validator = BundleValidator(runner: nil, reader: options.descriptionReader)
    #expect(!validator.validate(path).diagnostics.contains { $0.code == "unknown-backend" })
  }

  @Test func `The original library's classes select backends`() throws {
    let folder = try TemporaryFolder()
    let bundle = try ModelBundle(at: try makeBundle(folder, fixture: "class-of-the-original"))
    #expect(bundle.backend == .tflite)
    #expect(BackendIdentifier(legacyClass: "TIOTensorFlowModel") == .tensorflow)
  }

  @Test func `Missing weights and labels are reported on access`() throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    try FileManager.default.removeItem(atPath: path + "/model.tflite")
    try FileManager.default.removeItem(atPath: path + "/assets")
    let bundle = try ModelBundle(at: path)
    let model = #expect(throws: ModelError.self) { try bundle.modelFile }
    #expect(model == ModelError(.bundle, .missingFile("model.tflite"), file: path))
    let output = bundle.description.outputs[0]
    let labels = #expect(throws: ModelError.self) { try bundle.labels(for: output) }
    #expect(
      labels
        == ModelError(.bundle, .missingFile("assets/labels.txt"), layer: "plant", file: path))
  }

  @Test func `Labels that are too large are not read`() throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    let size = LabelsFile.maxBytes + 1
    try folder.write(
      [UInt8](repeating: 0x61, count: size), to: "plants.tiobundle/assets/labels.txt")
    let bundle = try ModelBundle(at: path)
    let output = bundle.description.outputs[0]
    let error = #expect(throws: ModelError.self) { try bundle.labels(for: output) }
    #expect(
      error?.reason
        == .oversizedFile("assets/labels.txt", bytes: size, limit: LabelsFile.maxBytes))
  }

  @Test func `Examples and a model card that are too large are not read`() throws {
    let folder = try TemporaryFolder()
    let path = try makeBundle(folder)
    let size = ModelBundle.maxExampleBytes + 1
    for (name, byteCount) in [("big.json", size), ("CARD.md", JSONLimits.maxDescriptionBytes + 1)] {
      let file = try FileHandle(
        forWritingTo: URL(filePath: folder.write("", to: "plants.tiobundle/\(name)")))
      // A sparse file occupies no disk space.
      try file.truncate(atOffset: UInt64(byteCount))
    }
    let bundle = try ModelBundle(at: path)
    let error = #expect(throws: ModelError.self) { try bundle.exampleValue(#""@big.json""#) }
    #expect(
      error?.reason
        == .oversizedFile("big.json", bytes: size, limit: ModelBundle.maxExampleBytes))
    #expect(bundle.modelCard == nil)
  }

  @Test func `The length of a path is limited`() {
    let path = String(repeating: "n", count: BundlePath.maxLength)
    #expect(BundlePath.rejectionReason(for: path) == nil)
    #expect(BundlePath.rejectionReason(for: path + "n") != nil)
  }
}

/// A runtime that exists only by its name.
private struct NamedBackend: Backend {
  let identifier: BackendIdentifier

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    throw ModelError(.runtime, .modelRejected(detail: "no model"), file: file.path)
  }
}
