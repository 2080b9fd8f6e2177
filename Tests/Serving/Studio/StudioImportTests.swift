import Foundation
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCommand
@testable import TensorIOStudio

/// The import of zipped bundles.
@Suite struct StudioImportTests {
  private let folder: TemporaryFolder
  private let harness: StudioHarness

  init() throws {
    folder = try TemporaryFolder()
    harness = try StudioHarness([])
  }

  /// The names in the library folder, including hidden ones.
  private var library: [String] {
    (try? FileSystem.entryNames(in: "\(harness.home.path)/models")) ?? []
  }

  private func packed(_ bundle: String) throws -> [UInt8] {
    let path = "\(folder.path)/\(UUID().uuidString).zip"
    let outcome = TestConsole.run(["pack", bundle, "-o", path])
    #expect(outcome.exitCode == 0, "\(outcome)")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// Returns a zip with arbitrary entry names, which `tensorio pack` would not create.
  private func zip(_ files: [(name: String, text: String)]) throws -> [UInt8] {
    let path = "\(folder.path)/\(UUID().uuidString).zip"
    let script = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1], "w") as archive:
          for name, text in zip(sys.argv[2::2], sys.argv[3::2]):
              archive.writestr(name, text)
      """
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, path] + files.flatMap { [$0.name, $0.text] }
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  private func importBundle(_ zip: [UInt8], _ query: String = "") throws -> HTTPResponse {
    try harness.send(.post, "/import" + query, body: zip)
  }

  // MARK: Valid bundles

  @Test func `An imported bundle is validated, stored and served at once`() throws {
    let response = try importBundle(packed(StudioHarness.bundle("digits")))
    #expect(response.status == .created, "\(response.text)")
    #expect(try response.json()["model"]?["name"]?.string == "digits")
    #expect(try response.json()["model"]?["task"]?.string == "image.classification.digits")
    #expect(try response.json()["diagnostics"]?.array != nil)
    #expect(library == ["digits.tiobundle"])
    #expect(try harness.json("/state")["models"]?[0]?["name"]?.string == "digits")
    #expect(try harness.json("/models/digits/samples").array?.isEmpty == false)
    #expect(try harness.catalog.model(named: "digits").model.bundle.name.isEmpty == false)
  }

  @Test func `A bundle can be imported under a valid name only`() throws {
    let zip = try packed(StudioHarness.bundle("digits"))
    #expect(try importBundle(zip, "?name=numerals").json()["model"]?["name"]?.string == "numerals")
    #expect(library == ["numerals.tiobundle"])
    for name in ["..%2Fevil", ".hidden", "-flag", "a:b", "%40set"] {
      let response = try importBundle(zip, "?name=\(name)")
      #expect(response.status == .unprocessableContent, "\(name): \(response.text)")
    }
    #expect(library == ["numerals.tiobundle"])
  }

  @Test func `A bundle with an existing name or identifier replaces the other on request only`()
    throws
  {
    let zip = try packed(StudioHarness.bundle("digits"))
    #expect(try importBundle(zip).status == .created)
    let again = try importBundle(zip)
    #expect(again.status == .conflict && again.code == "model-exists")
    #expect(
      try importBundle(zip, "?name=other").status == .conflict, "the identifier already exists")
    #expect(library == ["digits.tiobundle"])
    #expect(try importBundle(zip, "?replace=1").status == .created)
    #expect(try importBundle(zip, "?name=other&replace=1").status == .created)
    #expect(library == ["other.tiobundle"])
    #expect(harness.catalog.entries.map(\.name) == ["other"])
  }

  @Test func `A bundle with the name of another served model is rejected`() throws {
    let harness = try StudioHarness([StudioHarness.bundle("digits")])
    let zip = try packed(StudioHarness.bundle("digits"))
    #expect(try harness.send(.post, "/import", body: zip).status == .conflict)
    #expect(try harness.send(.post, "/import?name=copy", body: zip).status == .created)
    #expect(harness.catalog.entries.map(\.name) == ["digits", "copy"])
  }

  @Test func `A protected model is not replaced`() throws {
    let zip = try packed(StudioHarness.bundle("digits"))
    #expect(try importBundle(zip).status == .created)
    try Settings.update(harness.console) { $0.protectedModels = ["digits"] }
    let response = try importBundle(zip, "?replace=1")
    #expect(response.status == .unprocessableContent && response.code == "protected-model")
    #expect(library == ["digits.tiobundle"])
  }

  // MARK: Removal

  @Test func `A model of the library is removed, unless it is protected`() throws {
    #expect(try importBundle(packed(StudioHarness.bundle("digits"))).status == .created)
    #expect(try harness.json("/state")["models"]?[0]?["removable"]?.bool == true)
    try Settings.update(harness.console) { settings in
      (settings.protectedModels, settings.defaultModel) = (["digits"], "digits")
    }
    let rejected = try harness.send(.delete, "/models/digits")
    #expect(rejected.status == .conflict && rejected.code == "protected-model")
    #expect(library == ["digits.tiobundle"])
    try Settings.update(harness.console) { $0.protectedModels = [] }
    harness.settings.current.defaultModel = "digits"
    #expect(try harness.send(.delete, "/models/digits").status == .noContent)
    #expect(library.isEmpty && harness.catalog.entries.isEmpty)
    #expect(harness.settings.current.defaultModel == nil)
    #expect(try Settings(harness.console).defaultModel == nil)
    #expect(try harness.send(.delete, "/models/digits").status == .notFound)
  }

  @Test func `A model outside of the library is not removed`() throws {
    let path = try folder.copy(StudioHarness.bundle("digits"), as: "digits.tiobundle")
    let harness = try StudioHarness([path])
    let response = try harness.send(.delete, "/models/digits")
    #expect(response.status == .conflict && response.code == "not-in-library")
    #expect(FileKind(at: path) == .directory && harness.catalog.entries.count == 1)
  }

  // MARK: Models without a bundle

  @Test func `A model without a bundle is drafted with what was guessed`() throws {
    let model = try Data(
      contentsOf: URL(filePath: StudioHarness.bundle("digits") + "/model.tflite"))
    let draft = try harness.send(.post, "/draft?name=numerals.tflite", body: Array(model)).json()
    #expect(draft["model_file"]?.string == "model.tflite" && draft["failure"] == .null)
    let description = try JSONTree(draft["description"]?.string ?? "")
    #expect(description["inputs"]?[0]?["type"]?.string == "image")
    let guesses = try #require(draft["guesses"]?.array)
    #expect(guesses.contains { $0["path"]?.string?.hasPrefix("/inputs/0/") == true })
    #expect(guesses.allSatisfy { $0["reason"]?.string?.isEmpty == false })
    #expect(library.isEmpty)
  }

  @Test(arguments: [
    ("model.tflite", "no model"), ("model.pb", "text"), ("model", "text"),
    ("../../x.tflite", "no model"), ("", "text"), ("model.tflite", ""),
  ])
  func `Other files are not drafted`(_ name: String, _ text: String) throws {
    let response = try harness.post("/draft?name=\(name)", text)
    #expect([.badRequest, .unprocessableContent].contains(response.status), "\(response.text)")
    #expect(library.isEmpty)
  }

  @Test func `The reason for which a runtime rejects a model is reported`() throws {
    let response = try harness.post("/draft?name=model.tflite", "no model")
    #expect(response.status == .unprocessableContent && response.code == "model-rejected")
    let message = try #require(response.json()["error"]?.string)
    #expect(message.hasPrefix("model.tflite: the runtime rejected the model"), "\(message)")
  }

  // MARK: Invalid bundles

  @Test func `A bundle with errors is rejected with its diagnostics and leaves nothing`()
    throws
  {
    let description = #"""
      {"name": "Odd", "details": "", "id": "odd", "version": "1", "author": "", "license": "",
       "model": {"file": "none.tflite", "quantized": false, "backend": "tflite"},
       "inputs": [{"name": "x", "type": "image", "shape": [8, 8], "format": "CMYK"}],
       "outputs": []}
      """#
    let zip = try zip([("odd.tiobundle/model.json", description)])
    let response = try importBundle(zip)
    #expect(response.status == .unprocessableContent, "\(response.text)")
    let diagnostics = try #require(response.json()["diagnostics"]?.array)
    let path = try folder.write(description, to: "odd.tiobundle/model.json")
    let bundle = String(path.dropLast("/model.json".count))
    let validated = try TestConsole.run(["validate", bundle, "--format", "json"]).json()
    #expect(diagnostics == validated["diagnostics"]?.array)
    let first = diagnostics.first { $0["severity"]?.string == "error" }
    #expect(diagnostics.count > 1 && response.code == first?["code"]?.string)
    #expect(library.isEmpty && harness.catalog.entries.isEmpty)
  }

  @Test(arguments: [
    ("empty", ""), ("text", "this is no zip at all"), ("cut", "PK\u{3}\u{4} and no more"),
  ])
  func `A body that is not a zip is rejected`(_ name: String, _ text: String) throws {
    let response = try importBundle(Array(text.utf8))
    #expect([.badRequest, .unprocessableContent].contains(response.status), "\(response.text)")
    #expect(library.isEmpty)
  }

  @Test func `A truncated zip is rejected`() throws {
    let zip = try packed(StudioHarness.bundle("digits"))
    for count in [zip.count / 3, zip.count - 40] {
      let response = try importBundle(Array(zip.prefix(count)))
      #expect(response.status == .unprocessableContent, "\(response.text)")
    }
    #expect(library.isEmpty)
  }

  @Test(arguments: ["../../escaped.txt", "/escaped.txt", "x.tiobundle/../../escaped.txt"])
  func `A zip with an entry outside its folder is rejected`(_ name: String) throws {
    let zip = try zip([("x.tiobundle/model.json", "{}"), (name, "gotcha")])
    let response = try importBundle(zip)
    #expect(response.status == .unprocessableContent, "\(response.text)")
    #expect(library.isEmpty)
    #expect(FileKind(at: "\(harness.home.path)/escaped.txt") == nil)
  }

  @Test func `A zip without a bundle, or with two, is rejected`() throws {
    #expect(try importBundle(zip([("a.txt", "text")])).code == "archive-no-bundle")
    let two = try zip([("a.tiobundle/model.json", "{}"), ("b.tiobundle/model.json", "{}")])
    #expect(try importBundle(two).code == "archive-multiple-bundles")
    #expect(library.isEmpty)
  }
}
