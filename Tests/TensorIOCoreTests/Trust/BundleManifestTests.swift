import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct BundleManifestTests {
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

  /// The code with which the bundle is refused; `nil` when it opens.
  private var refusal: String? {
    do throws(ModelError) {
      _ = try ModelBundle(at: bundle.path)
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: Found

  @Test func `the files are listed by the bytes of their paths, with size and digest`() throws {
    let manifest = try BundleManifest(bytes("manifest.json"))
    #expect(manifest.id == "test" && manifest.version == "3")
    #expect(manifest.files.map(\.path) == ["assets/labels.txt", "model.json", "model.tflite"])
    #expect(manifest.files[0].byteCount == 4)
    #expect(manifest.files[0].digest == SHA256.digest(of: Array("a\nb\n".utf8)).hexadecimal)
    #expect(refusal == nil)
    #expect(try bundle.read().labels(for: bundle.read().description.outputs[0]) == ["a", "b"])
  }

  @Test(arguments: ["model.json", "model.tflite", "assets/labels.txt", "manifest.json"])
  func `any flipped bit of any file is found`(_ name: String) throws {
    let original = try bytes(name)
    for (place, bit) in original.indices.flatMap({ place in (0..<8).map { (place, $0) } }) {
      var flipped = original
      flipped[place] ^= 1 << bit
      try Data(flipped).write(to: url(name))
      #expect(refusal == "altered-bundle", "bit \(bit) of byte \(place)")
    }
    try Data(original).write(to: url(name))
    #expect(refusal == nil)
  }

  @Test func `flipped bits of a large file are found`() throws {
    var random = SeededGenerator(seed: 7)
    var bytes = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    try bundle.write(bytes, to: "model.tflite")
    try BundleManifest.write(into: bundle.path)
    #expect(refusal == nil)
    for _ in 0..<50 {
      let (place, bit) = (Int.random(in: bytes.indices, using: &random), UInt8.random(in: 0..<8))
      bytes[place] ^= 1 << bit
      try bundle.write(bytes, to: "model.tflite")
      #expect(refusal == "altered-bundle")
      bytes[place] ^= 1 << bit
    }
  }

  @Test(arguments: ["model.json", "model.tflite", "assets/labels.txt"])
  func `a file that is gone, shorter or longer is found`(_ name: String) throws {
    let original = try bytes(name)
    for other in [original.dropLast(), original + [0], []] {
      try Data(other).write(to: url(name))
      #expect(refusal == "altered-bundle")
    }
    try FileManager.default.removeItem(at: url(name))
    #expect(refusal == "altered-bundle")
  }

  @Test(arguments: [
    "more", "assets/more", ".hidden", "assets/.hidden", "new/more", "aaa", "model.tflite.bak",
  ])
  func `a file that is not listed is found`(_ name: String) throws {
    try bundle.write([], to: name)
    #expect(refusal == "altered-bundle")
  }

  @Test func `a link, an empty folder and a folder in a file's place are found`() throws {
    let files = FileManager.default
    try files.createSymbolicLink(atPath: url("link").path, withDestinationPath: "model.json")
    #expect(refusal == "altered-bundle")
    try files.removeItem(at: url("link"))
    try files.createDirectory(at: url("empty"), withIntermediateDirectories: false)
    #expect(refusal == "altered-bundle")
    try files.removeItem(at: url("empty"))
    try files.moveItem(at: url("model.tflite"), to: url("../elsewhere"))
    try files.createSymbolicLink(
      atPath: url("model.tflite").path, withDestinationPath: "../elsewhere")
    #expect(refusal == "altered-bundle")
    try files.removeItem(at: url("model.tflite"))
    try files.createDirectory(at: url("model.tflite"), withIntermediateDirectories: false)
    #expect(refusal == "altered-bundle")
  }

  @Test func `a manifest that is a link, a folder or gone beside its signature is found`() throws {
    let files = FileManager.default
    try files.moveItem(at: url("manifest.json"), to: url("../m"))
    #expect(refusal == nil)
    try bundle.write([1], to: "manifest.json.minisig")
    #expect(refusal == "altered-bundle")
    try files.createSymbolicLink(atPath: url("manifest.json").path, withDestinationPath: "../m")
    #expect(refusal == "altered-bundle")
    try files.removeItem(at: url("manifest.json"))
    try files.createDirectory(at: url("manifest.json"), withIntermediateDirectories: false)
    #expect(refusal == "altered-bundle")
  }

  @Test func `a manifest of another id or version is found`() throws {
    let manifest = try BundleManifest(bytes("manifest.json"))
    for (id, version) in [("other", "3"), ("test", "4")] {
      let text = String(decoding: manifest.bytes, as: UTF8.self)
        .replacing("\"id\": \"test\"", with: "\"id\": \"\(id)\"")
        .replacing("\"version\": \"3\"", with: "\"version\": \"\(version)\"")
      try bundle.write(Array(text.utf8), to: "manifest.json")
      #expect(refusal == "altered-bundle")
    }
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"format":1,"id":"test","version":"3","files":[]}"#,
    #"{"format": 2, "id": "test", "version": "3", "files": []}"#,
  ])
  func `what is no manifest is refused`(_ text: String) throws {
    try bundle.write(Array(text.utf8), to: "manifest.json")
    #expect(refusal == "altered-bundle")
  }

  @Test func `files out of order, and one listed twice, are refused`() throws {
    let text = String(decoding: try bytes("manifest.json"), as: UTF8.self)
    let entries = text.matches(of: #/    \{\n[^}]*\n    \}/#).map { String($0.output) }
    try #require(entries.count == 3)
    let turned = text.replacing(entries[0], with: "#").replacing(entries[1], with: entries[0])
      .replacing("#", with: entries[1])
    let twice = text.replacing(entries[0], with: entries[0] + ",\n" + entries[0])
    for text in [turned, twice] {
      let error = #expect(throws: ModelError.self) { try BundleManifest(Array(text.utf8)) }
      #expect(error?.code == "altered-bundle")
    }
  }

  // MARK: Limits

  @Test func `a bundle has no more files than it may`() throws {
    let there = try BundleFileList(of: bundle.path).paths.count
    for number in there..<BundleManifest.maxFiles { try bundle.write([], to: "assets/\(number)") }
    #expect(try BundleFileList(of: bundle.path).paths.count == BundleManifest.maxFiles)
    try bundle.write([], to: "assets/one more")
    #expect(throws: ModelError.self) { try BundleFileList(of: bundle.path) }
  }

  @Test func `a manifest and a signature that are too large are not read`() throws {
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

  // MARK: Made

  @Test func `a manifest takes the place of another, and signatures and empty folders go`() throws {
    try bundle.write([1], to: "manifest.json.minisig")
    try bundle.write([4], to: "model.tflite")
    try FileManager.default.createDirectory(
      at: url("a/b/c"), withIntermediateDirectories: true)
    try BundleManifest.write(into: bundle.path)
    #expect(refusal == nil)
    #expect(
      try FileSystem.entryNames(in: bundle.path) == [
        "assets", "manifest.json", "model.json", "model.tflite",
      ])
  }

  @Test func `what would not be packed is not listed`() throws {
    try bundle.write([1], to: "assets/.DS_Store")
    let error = #expect(throws: ModelError.self) { try BundleManifest.write(into: bundle.path) }
    #expect(error?.message.contains("assets/.DS_Store") == true)
    let folder = try TemporaryFolder()
    try folder.write("", to: "empty/.keep")
    #expect(throws: ModelError.self) { try BundleManifest.write(into: folder.path) }
    #expect(folder.entries == ["empty"])
  }

  // MARK: Used

  @Test func `what is exchanged after it was checked is not used`() throws {
    let opened = try bundle.read()
    try bundle.write(Array("x\ny\n".utf8), to: "assets/labels.txt")
    #expect(throws: ModelError.self) { try opened.labels(for: opened.description.outputs[0]) }
    let file = try opened.modelFile
    try file.verify(bytes: [1, 2, 3])
    let error = #expect(throws: ModelError.self) { try file.verify(bytes: [1, 2, 4]) }
    #expect(error?.code == "altered-bundle")
    #expect(throws: ModelError.self) { try file.verify(bytes: [1, 2, 3], of: "saved_model.pb") }
    try FileManager.default.removeItem(at: url("manifest.json"))
    try bundle.read().modelFile.verify(bytes: [9])
  }

  @Test func `a checker tells what an opener does`() throws {
    try bundle.write([9], to: "model.tflite")
    let report = BundleValidator().validate(bundle.path)
    #expect(report.diagnostics.map(\.code) == ["altered-bundle"])
    #expect(report.loadError?.code == "altered-bundle" && !report.isValid)
  }
}
