import Foundation
import TensorIOSystem
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite(.ownThreads) struct BundleManifestTests {
  private let bundle: TestBundle

  init() throws {
    bundle = try TestBundle(
      outputs: #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#,
      labels: "a\nb\n")
    try bundle.write([1, 2, 3], to: "model.tflite")
    try BundleManifest.write(into: bundle.path)
  }

  private func url(_ name: String) -> URL { URL(filePath: "\(bundle.path)/\(name)") }

  private func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }

  /// The code of the error in opening the bundle; `nil` if it opens.
  private var openingError: String? {
    do throws(ModelError) {
      _ = try ModelBundle(at: bundle.path)
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: Detection

  @Test func `Files are listed with size and digest, sorted by path bytes`() throws {
    let manifest = try BundleManifest(bytes("manifest.json"))
    #expect(manifest.id == "test" && manifest.version == "3")
    #expect(manifest.files.map(\.path) == ["assets/labels.txt", "model.json", "model.tflite"])
    #expect(manifest.files[0].byteCount == 4)
    #expect(manifest.files[0].digest == SHA256.digest(of: Array("a\nb\n".utf8)).hexadecimal)
    #expect(openingError == nil)
    #expect(try bundle.read().labels(for: bundle.read().description.outputs[0]) == ["a", "b"])
  }

  private static let text = """
    {
      "format": 1,
      "id": "birds",
      "version": "2",
      "files": [
        {
          "path": "model.json",
          "bytes": 2,
          "sha256": "00ff"
        }
      ]
    }

    """

  @Test func `The text of a manifest is stable`() throws {
    let manifest = BundleManifest(
      id: "birds", version: "2",
      files: [BundleManifest.File(path: "model.json", byteCount: 2, digest: "00ff")])
    #expect(String(decoding: manifest.bytes, as: UTF8.self) == Self.text)
    #expect(try BundleManifest(Array(Self.text.utf8)) == manifest)
  }

  @Test(arguments: [
    ("\"format\": 1", "\"format\": 2", "has an unknown format"),
    ("\"id\": \"birds\",", "", "has an unknown format"),
    ("\"format\": 1", "\"format\":1", "is not in canonical form"),
    ("\"bytes\": 2", "\"bytes\": -1", "is not in canonical form"),
    ("\"bytes\": 2", "\"bytes\": -9223372036854775808", "is not in canonical form"),
    ("\"version\": \"2\"", "\"version\": \"2\", \"more\": 1", "is not in canonical form"),
  ])
  func `A manifest in another form is rejected`(
    _ old: String, _ new: String, _ message: String
  ) throws {
    let text = Self.text.replacing(old, with: new)
    #expect(text != Self.text)
    let error = #expect(throws: ModelError.self) { try BundleManifest(Array(text.utf8)) }
    #expect(error?.description.contains("manifest.json \(message)") == true)
  }

  @Test(arguments: ["model.json", "model.tflite", "assets/labels.txt", "manifest.json"])
  func `Any flipped bit of any file is detected`(_ name: String) throws {
    let original = try bytes(name)
    let bits = original.indices.flatMap { index in (0..<8).map { (index, $0) } }
    // The sample has bits of all positions.
    for (index, bit) in Exhaustive.cases(bits, orEvery: 5) {
      var flipped = original
      flipped[index] ^= 1 << bit
      try Data(flipped).write(to: url(name))
      #expect(openingError == "manifest-mismatch", "bit \(bit) of byte \(index)")
    }
    try Data(original).write(to: url(name))
    #expect(openingError == nil)
  }

  @Test func `Flipped bits of a large file are detected`() throws {
    var random = SeededGenerator(seed: 7)
    var bytes = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    try bundle.write(bytes, to: "model.tflite")
    try BundleManifest.write(into: bundle.path)
    #expect(openingError == nil)
    for _ in 0..<50 {
      let (index, bit) = (Int.random(in: bytes.indices, using: &random), UInt8.random(in: 0..<8))
      bytes[index] ^= 1 << bit
      try bundle.write(bytes, to: "model.tflite")
      #expect(openingError == "manifest-mismatch")
      bytes[index] ^= 1 << bit
    }
  }

  @Test(arguments: ["model.json", "model.tflite", "assets/labels.txt"])
  func `A missing, truncated or extended file is detected`(_ name: String) throws {
    let original = try bytes(name)
    for other in [original.dropLast(), original + [0], []] as [[UInt8]] {
      try Data(other).write(to: url(name))
      #expect(openingError == "manifest-mismatch")
    }
    try FileManager.default.removeItem(at: url(name))
    #expect(openingError == "manifest-mismatch")
  }

  @Test(arguments: [
    "more", "assets/more", ".hidden", "assets/.hidden", "new/more", "aaa", "model.tflite.bak",
  ])
  func `An unlisted file is detected`(_ name: String) throws {
    try bundle.write([], to: name)
    #expect(openingError == "manifest-mismatch")
  }

  @Test func `A symbolic link, an empty folder and a folder in place of a file are detected`()
    throws
  {
    let files = FileManager.default
    try files.createSymbolicLink(atPath: url("link").path, withDestinationPath: "model.json")
    #expect(openingError == "manifest-mismatch")
    try files.removeItem(at: url("link"))
    try files.createDirectory(at: url("empty"), withIntermediateDirectories: false)
    #expect(openingError == "manifest-mismatch")
    try files.removeItem(at: url("empty"))
    try files.moveItem(at: url("model.tflite"), to: url("../elsewhere"))
    try files.createSymbolicLink(
      atPath: url("model.tflite").path, withDestinationPath: "../elsewhere")
    #expect(openingError == "manifest-mismatch")
    try files.removeItem(at: url("model.tflite"))
    try files.createDirectory(at: url("model.tflite"), withIntermediateDirectories: false)
    #expect(openingError == "manifest-mismatch")
  }

  @Test
  func
    `A manifest that is a symbolic link, a folder, or missing next to its signature is detected`()
    throws
  {
    let files = FileManager.default
    try files.moveItem(at: url("manifest.json"), to: url("../m"))
    #expect(openingError == nil)
    try bundle.write([1], to: "manifest.json.minisig")
    #expect(openingError == "manifest-mismatch")
    try files.createSymbolicLink(atPath: url("manifest.json").path, withDestinationPath: "../m")
    #expect(openingError == "manifest-mismatch")
    try files.removeItem(at: url("manifest.json"))
    try files.createDirectory(at: url("manifest.json"), withIntermediateDirectories: false)
    #expect(openingError == "manifest-mismatch")
  }

  @Test func `A manifest with another id or version is detected`() throws {
    let manifest = try BundleManifest(bytes("manifest.json"))
    for (id, version) in [("other", "3"), ("test", "4")] {
      let text = String(decoding: manifest.bytes, as: UTF8.self)
        .replacing("\"id\": \"test\"", with: "\"id\": \"\(id)\"")
        .replacing("\"version\": \"3\"", with: "\"version\": \"\(version)\"")
      try bundle.write(Array(text.utf8), to: "manifest.json")
      #expect(openingError == "manifest-mismatch")
    }
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"format":1,"id":"test","version":"3","files":[]}"#,
    #"{"format": 2, "id": "test", "version": "3", "files": []}"#,
  ])
  func `An invalid manifest is rejected`(_ text: String) throws {
    try bundle.write(Array(text.utf8), to: "manifest.json")
    #expect(openingError == "manifest-mismatch")
  }

  @Test func `Unsorted and duplicate entries are rejected`() throws {
    let text = String(decoding: try bytes("manifest.json"), as: UTF8.self)
    let entries = text.matches(of: #/    \{\n[^}]*\n    \}/#).map { String($0.output) }
    try #require(entries.count == 3)
    let unsorted = text.replacing(entries[0], with: "#").replacing(entries[1], with: entries[0])
      .replacing("#", with: entries[1])
    let duplicated = text.replacing(entries[0], with: entries[0] + ",\n" + entries[0])
    for text in [unsorted, duplicated] {
      let error = #expect(throws: ModelError.self) { try BundleManifest(Array(text.utf8)) }
      #expect(error?.code == "manifest-mismatch")
    }
  }

  // MARK: Limits

  @Test func `The number of files is limited`() throws {
    let count = try BundleManifest.paths(in: bundle.path).count
    for number in count..<BundleManifest.maxFiles { try bundle.write([], to: "assets/\(number)") }
    #expect(try BundleManifest.paths(in: bundle.path).count == BundleManifest.maxFiles)
    try bundle.write([], to: "assets/one more")
    #expect(throws: ModelError.self) { try BundleManifest.paths(in: bundle.path) }
  }

  @Test func `A manifest and a signature that are too large are not read`() throws {
    try bundle.write([], to: "manifest.json.minisig")
    let files = [
      ("manifest.json", BundleManifest.maxBytes),
      ("manifest.json.minisig", BundleManifest.maxSignatureBytes),
    ]
    for (name, limit) in files {
      let read = { () throws(ModelError) in
        name == "manifest.json"
          ? try BundleManifest.bytes(in: bundle.path)
          : try BundleManifest.signature(in: bundle.path)
      }
      try bundle.write([UInt8](repeating: 32, count: limit), to: name)
      #expect(try read()?.count == limit)
      try bundle.write([UInt8](repeating: 32, count: limit + 1), to: name)
      #expect(throws: ModelError.self) { try read() }
    }
  }

  // MARK: Creation

  @Test func `Writing a manifest replaces the old one and removes signature and empty folders`()
    throws
  {
    try bundle.write([1], to: "manifest.json.minisig")
    try bundle.write([4], to: "model.tflite")
    try FileManager.default.createDirectory(
      at: url("a/b/c"), withIntermediateDirectories: true)
    try BundleManifest.write(into: bundle.path)
    #expect(openingError == nil)
    #expect(
      try FileSystem.entryNames(in: bundle.path) == [
        "assets", "manifest.json", "model.json", "model.tflite",
      ])
  }

  @Test func `Files that cannot be packed are rejected`() throws {
    try bundle.write([1], to: "assets/.DS_Store")
    let error = #expect(throws: ModelError.self) { try BundleManifest.write(into: bundle.path) }
    #expect(error?.message.contains("assets/.DS_Store") == true)
    let folder = try TemporaryFolder()
    try folder.write("", to: "empty/.keep")
    #expect(throws: ModelError.self) { try BundleManifest.write(into: folder.path) }
    #expect(folder.entries == ["empty"])
  }

  // MARK: Use

  @Test func `Files replaced after verification are not used`() throws {
    let opened = try bundle.read()
    try bundle.write(Array("x\ny\n".utf8), to: "assets/labels.txt")
    #expect(throws: ModelError.self) { try opened.labels(for: opened.description.outputs[0]) }
    let file = try opened.modelFile
    try file.verify(bytes: [1, 2, 3])
    let error = #expect(throws: ModelError.self) { try file.verify(bytes: [1, 2, 4]) }
    #expect(error?.code == "manifest-mismatch")
    #expect(throws: ModelError.self) { try file.verify(bytes: [1, 2, 3], of: "saved_model.pb") }
    try FileManager.default.removeItem(at: url("manifest.json"))
    try bundle.read().modelFile.verify(bytes: [9])
  }

  @Test func `A validator reports the same error as opening`() throws {
    try bundle.write([9], to: "model.tflite")
    let report = BundleValidator(runner: nil).validate(bundle.path)
    #expect(report.diagnostics.map(\.code) == ["manifest-mismatch"])
    #expect(report.loadError?.code == "manifest-mismatch" && !report.isValid)
  }
}
