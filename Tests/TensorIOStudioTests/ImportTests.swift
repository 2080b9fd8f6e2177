import Foundation
import TensorIOCore
import TensorIOServer
import TensorIOSystem
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCommand

/// Bundles that are dropped on the page.
@Suite struct ImportTests {
  private let folder: TemporaryFolder
  private let bench: StudioBench

  init() throws {
    folder = try TemporaryFolder()
    bench = try StudioBench([])
  }

  /// What lies in the library, hidden or not.
  private var library: [String] { (try? FileSystem.entryNames(in: "\(bench.home.path)/models")) ?? [] }

  private func packed(_ bundle: String) throws -> [UInt8] {
    let path = "\(folder.path)/\(UUID().uuidString).zip"
    let outcome = TestConsole.run(["pack", bundle, "-o", path])
    #expect(outcome.exitCode == 0, "\(outcome)")
    return Array(try Data(contentsOf: URL(filePath: path)))
  }

  /// A zip of files under names of one's own, which no tool of ours would make.
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

  private func bring(_ zip: [UInt8], _ query: String = "") throws -> HTTPResponse {
    try bench.ask(.post, "/import" + query, body: zip)
  }

  // MARK: Whole

  @Test func `a bundle that is dropped is checked, kept and served at once`() throws {
    let answer = try bring(packed(StudioBench.bundle("digits")))
    #expect(answer.status == .created, "\(answer.text)")
    #expect(try answer.json()["model"]?["name"]?.string == "digits")
    #expect(try answer.json()["model"]?["task"]?.string == "image.classification.digits")
    #expect(try answer.json()["problems"]?.array != nil)
    #expect(library == ["digits.tiobundle"])
    #expect(try bench.json("/state")["models"]?[0]?["name"]?.string == "digits")
    #expect(try bench.json("/models/digits/samples").array?.isEmpty == false)
    #expect(try bench.catalogue.model(named: "digits").model.bundle.name.isEmpty == false)
  }

  @Test func `a name of its own is taken, and one that is none is refused`() throws {
    let zip = try packed(StudioBench.bundle("digits"))
    #expect(try bring(zip, "?name=numerals").json()["model"]?["name"]?.string == "numerals")
    #expect(library == ["numerals.tiobundle"])
    for name in ["..%2Fevil", ".hidden", "-flag", "a:b", "%40set"] {
      let answer = try bring(zip, "?name=\(name)")
      #expect(answer.status == .unprocessableContent, "\(name): \(answer.text)")
    }
    #expect(library == ["numerals.tiobundle"])
  }

  @Test func `the name or the id of another is refused, and replaced when that is wanted`() throws {
    let zip = try packed(StudioBench.bundle("digits"))
    #expect(try bring(zip).status == .created)
    let again = try bring(zip)
    #expect(again.status == .conflict && again.code == "model-exists")
    #expect(try bring(zip, "?name=other").status == .conflict, "the id is there already")
    #expect(library == ["digits.tiobundle"])
    #expect(try bring(zip, "?replace=1").status == .created)
    #expect(try bring(zip, "?name=other&replace=1").status == .created)
    #expect(library == ["other.tiobundle"])
    #expect(bench.catalogue.entries.map(\.name) == ["other"])
  }

  @Test func `a name that another model of the page has is taken, too`() throws {
    let bench = try StudioBench([StudioBench.bundle("digits")])
    let zip = try packed(StudioBench.bundle("digits"))
    #expect(try bench.ask(.post, "/import", body: zip).status == .conflict)
    #expect(try bench.ask(.post, "/import?name=copy", body: zip).status == .created)
    #expect(bench.catalogue.entries.map(\.name) == ["digits", "copy"])
  }

  @Test func `a protected model is not replaced`() throws {
    let zip = try packed(StudioBench.bundle("digits"))
    #expect(try bring(zip).status == .created)
    try Settings.update(bench.console) { $0.protectedModels = ["digits"] }
    let answer = try bring(zip, "?replace=1")
    #expect(answer.status == .unprocessableContent && answer.code == "protected-model")
    #expect(library == ["digits.tiobundle"])
  }

  // MARK: Broken

  @Test func `a bundle with errors is refused with the validator's findings, and leaves nothing`()
    throws
  {
    let description = #"""
      {"name": "Odd", "details": "", "id": "odd", "version": "1", "author": "", "license": "",
       "model": {"file": "none.tflite", "quantized": false, "backend": "tflite"},
       "inputs": [{"name": "x", "type": "image", "shape": [8, 8], "format": "CMYK"}],
       "outputs": []}
      """#
    let zip = try zip([("odd.tiobundle/model.json", description)])
    let answer = try bring(zip)
    #expect(answer.status == .unprocessableContent, "\(answer.text)")
    let problems = try #require(answer.json()["problems"]?.array)
    let own = try folder.write(description, to: "odd.tiobundle/model.json")
    let bundle = String(own.dropLast("/model.json".count))
    let validated = try TestConsole.run(["validate", bundle, "--format", "json"]).json()
    #expect(problems == validated["problems"]?.array)
    let first = problems.first { $0["severity"]?.string == "error" }
    #expect(problems.count > 1 && answer.code == first?["code"]?.string)
    #expect(library.isEmpty && bench.catalogue.entries.isEmpty)
  }

  @Test(arguments: [
    ("empty", ""), ("text", "this is no zip at all"), ("cut", "PK\u{3}\u{4} and no more"),
  ])
  func `what is no zip is refused`(_ name: String, _ text: String) throws {
    let answer = try bring(Array(text.utf8))
    #expect([.badRequest, .unprocessableContent].contains(answer.status), "\(answer.text)")
    #expect(library.isEmpty)
  }

  @Test func `a zip that is cut short is refused`() throws {
    let zip = try packed(StudioBench.bundle("digits"))
    for count in [zip.count / 3, zip.count - 40] {
      let answer = try bring(Array(zip.prefix(count)))
      #expect(answer.status == .unprocessableContent, "\(answer.text)")
    }
    #expect(library.isEmpty)
  }

  @Test(arguments: ["../../escaped.txt", "/escaped.txt", "x.tiobundle/../../escaped.txt"])
  func `a zip that leads elsewhere is refused`(_ name: String) throws {
    let zip = try zip([("x.tiobundle/model.json", "{}"), (name, "gotcha")])
    let answer = try bring(zip)
    #expect(answer.status == .unprocessableContent, "\(answer.text)")
    #expect(library.isEmpty)
    #expect(FileKind(at: "\(bench.home.path)/escaped.txt") == nil)
  }

  @Test func `a zip without a bundle, and one with two, are refused`() throws {
    #expect(try bring(zip([("a.txt", "text")])).code == "archive-no-bundle")
    let two = try zip([("a.tiobundle/model.json", "{}"), ("b.tiobundle/model.json", "{}")])
    #expect(try bring(two).code == "archive-several-bundles")
    #expect(library.isEmpty)
  }
}
