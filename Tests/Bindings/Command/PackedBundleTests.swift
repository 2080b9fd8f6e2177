import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

@Suite(.ownThreads) struct PackedBundleTests {
  private static let examples = ProjectFiles.entries(of: "Examples/Bundles", suffix: ".tiobundle")

  /// Returns the outputs of a bundle for each of its samples, without timings.
  private func answers(_ bundle: String, samples: String) throws -> [JSONTree] {
    let names = try FileManager.default.contentsOfDirectory(atPath: samples).sorted()
    return try names.map { name in
      let word = name.hasSuffix(".json") ? "@\(samples)/\(name)" : "\(samples)/\(name)"
      let outcome = TestConsole.run(["run", bundle, word, "--format", "json"])
      #expect(outcome.exitCode == 0, "\(outcome.messages)")
      return try #require(outcome.json()["outputs"])
    }
  }

  @Test(arguments: examples)
  func `A packed and unpacked example has the same results`(_ example: String) throws {
    let folder = try TemporaryFolder()
    let (zip, copy) = (folder.path + "/x.zip", folder.path + "/copy.tiobundle")
    #expect(TestConsole.run(["pack", example, "-o", zip]).lines == [zip])
    #expect(TestConsole.run(["unpack", zip, "-o", copy]).lines == [copy])
    let compare = Process()
    compare.executableURL = URL(filePath: "/usr/bin/env")
    compare.arguments = ["diff", "--recursive", "--exclude=manifest.json", example, copy]
    try compare.run()
    compare.waitUntilExit()
    #expect(compare.terminationStatus == 0)
    for bundle in [copy, zip] {
      #expect(TestConsole.run(["validate", bundle]).exitCode == 0)
      #expect(
        try answers(bundle, samples: example + "/samples")
          == answers(example, samples: example + "/samples"))
    }
  }

  @Test func `A zip file can be used in place of a folder`() throws {
    let folder = try TemporaryFolder()
    let zip = folder.path + "/digits.zip"
    let source = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/digits.tiobundle"))
    try source.pack(to: zip)
    var bundle: ModelBundle? = try ModelBundle(at: zip)
    let unpacked = try #require(bundle?.folderPath)
    #expect(bundle?.path == zip && bundle?.description == source.description)
    #expect(bundle?.warnings == source.warnings)
    #expect(unpacked.hasSuffix("/digits.tiobundle"))
    var model: Model? = try bundle.map { try Model($0) }
    bundle = nil
    #expect(FileManager.default.fileExists(atPath: unpacked))
    let picture = ProjectFiles.path("Examples/Bundles/digits.tiobundle/samples/3-1.png")
    // An output keeps what it was computed by.
    var output = try model?.run(ImageBuffer(contentsOf: picture))
    model = nil
    #expect(try output?["classification"].top(1).first?.label == "3")
    #expect(FileManager.default.fileExists(atPath: unpacked))
    output = nil
    #expect(!FileManager.default.fileExists(atPath: unpacked))
    #expect(try Model(at: URL(filePath: zip)).bundle.id == "digits")
    let sample = try TestConsole.run(["run", zip, "--format", "json"]).json()
    #expect(sample["outputs"]?["classification"]?[0]?["label"]?.string == "0")
  }

  @Test func `No command leaves temporary folders behind`() throws {
    let (folder, temporary) = (try TemporaryFolder(), try TemporaryFolder())
    let zip = folder.path + "/x.zip"
    let example = ProjectFiles.path("Examples/Bundles/digits.tiobundle")
    let executable = Executable(environment: ["TMPDIR": temporary.path])
    #expect(try executable.run(["pack", example, "-o", zip]).exitCode == 0)
    for words in [
      ["run", zip], ["run", zip, "nothing.png"], ["inspect", zip], ["validate", zip],
    ] {
      _ = try executable.run(words)
      #expect(temporary.entries.isEmpty, "\(words)")
    }
    let nowhere = Executable(environment: ["TMPDIR": folder.path + "/nothing"])
    let outcome = try nowhere.run(["run", zip])
    #expect(outcome.exitCode == 3 && outcome.messages.contains("temporary folder"))
  }

  @Test func `Temporary folders of killed commands are removed later and folders in use are kept`()
    throws
  {
    let (folder, temporary) = (try TemporaryFolder(), try TemporaryFolder())
    let bundle = try TinyBundle(
      "double-float32", inputs: [TinyBundle.array("x")], outputs: [TinyBundle.array("y")], modes: ""
    )
    let zip = folder.path + "/x.zip"
    let executable = Executable(environment: ["TMPDIR": temporary.path])
    #expect(try executable.run(["pack", bundle.path, "-o", zip]).exitCode == 0)
    // The message is printed after unpacking; then the process waits for input.
    let process = try executable.start(["run", zip, "-"])
    try process.waitForMessage("the bundle has 1 warning")
    let used = temporary.entries
    #expect(used.count == 1)
    #expect(try executable.run(["inspect", zip]).exitCode == 0)
    #expect(temporary.entries == used)
    process.kill()
    #expect(process.wait().exitCode != 0)
    #expect(temporary.entries == used)
    #expect(try executable.run(["inspect", zip]).exitCode == 0)
    #expect(temporary.entries.isEmpty)
  }

  @Test func `Every command reports the code of a broken zip file`() throws {
    let folder = try TemporaryFolder()
    let zip = try folder.write(
      Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0, count: 100), to: "x.zip")
    for command in ["run", "inspect", "validate", "pack", "unpack"] {
      #expect(TestConsole.run([command, zip]).exitCode == 3, "\(command)")
    }
    let report = try TestConsole.run(["validate", zip, "--format", "json"]).json()
    #expect(report["diagnostics"]?[0]?["code"]?.string == "archive-corrupt")
    #expect(throws: ModelError.self) { try ModelBundle(at: zip) }
    let text = try folder.write("text", to: "x.txt")
    #expect(TestConsole.run(["run", text]).exitCode == 3)
    #expect(folder.entries == ["x.txt", "x.zip"])
  }

  @Test func `Existing files are not overwritten without --force`() throws {
    let folder = try TemporaryFolder()
    let example = ProjectFiles.path("Examples/Bundles/diabetes.tiobundle")
    let zip = folder.path + "/x.zip"
    #expect(TestConsole.run(["pack", example, "-o", zip]).exitCode == 0)
    let rejected = TestConsole.run(["pack", example, "-o", zip])
    #expect(
      rejected.exitCode == 2 && rejected.firstMessageLine.hasSuffix("to overwrite it, use --force"))
    #expect(TestConsole.run(["pack", example, "-o", zip, "--force"]).exitCode == 0)
    #expect(TestConsole.run(["unpack", zip, "-o", zip]).exitCode == 2)
    let nowhere = TestConsole.run(["unpack", zip, "-o", folder.path + "/a/b/c"])
    #expect(nowhere.exitCode == 6)
    #expect(folder.entries == ["x.zip"])
  }
}
