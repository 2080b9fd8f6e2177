import Foundation
import TensorIOTestSupport
import Testing

/// A data folder with a trusted key, and bundles signed with it.
struct TrustStage {
  let home: TemporaryFolder
  let folder: TemporaryFolder
  var console = TestConsole()

  init() throws {
    home = try TemporaryFolder()
    folder = try TemporaryFolder()
    console.environment = ["TENSORIO_HOME": home.path]
    try makeKey("ours")
    #expect(console.run(["keys", "trust", path("ours.pub")]).exitCode == 0)
  }

  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  func makeKey(_ name: String) throws {
    #expect(console.run(["keys", "generate", path("\(name).key"), "--no-password"]).exitCode == 0)
  }

  /// Creates a bundle that doubles four numbers.
  func bundle(_ name: String, id: String = "test", version: String = "1") throws -> String {
    let source = try TinyBundle.double()
    let path = try folder.copy(source.path, as: "\(name).tiobundle")
    try replace(
      #""id": "test", "version": "1""#, with: "\"id\": \"\(id)\", \"version\": \"\(version)\"",
      in: path + "/model.json")
    return path
  }

  /// Creates a signed bundle that doubles four numbers.
  func signed(
    _ name: String = "signed", id: String = "test", version: String = "1", by key: String = "ours"
  ) throws -> String {
    let path = try bundle(name, id: id, version: version)
    sign(path, by: key)
    return path
  }

  /// Creates an unsigned chain of one bundle inside its folder and one next to it.
  func chain(_ name: String = "twice") throws -> String {
    let path = path("\(name).tiochain")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    _ = try bundle("\(name).tiochain/inner", id: "inner")
    _ = try bundle("outer", id: "outer")
    let text = """
      {"name": "Twice", "id": "twice", "version": "1.2", "inputs": ["x"], "steps": [
        {"name": "first", "bundle": "inner.tiobundle", "inputs": {"x": "x"}},
        {"name": "second", "bundle": "outer.tiobundle", "inputs": {"x": "first"}},
        {"name": "third", "bundle": "inner.tiobundle", "inputs": {"x": "second"}}
      ]}
      """
    try write(text.utf8, to: path + "/chain.json")
    return path
  }

  func sign(_ path: String, by key: String = "ours") {
    let outcome = console.run(["sign", path, "--key", self.path("\(key).key")])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
  }

  /// Returns the code with which a bundle is rejected if signatures are required; `nil` if it runs.
  func rejectionCode(_ path: String, _ flags: String...) throws -> String? {
    let flags = ["--require-signature"] + flags
    let run = console.run(["run", path, "[1,2,3,4]", "--format", "json"] + flags)
    guard run.exitCode != 0 else { return nil }
    #expect(run.exitCode == 5 && run.output.isEmpty, "\(run)")
    let validated = console.run(["validate", path, "--format", "json"] + flags)
    #expect(validated.exitCode == 5)
    // A chain first reports that a bundle was rejected, and the bundle reports the reason.
    let report = try validated.json()
    let bundle = report["bundles"]?.array?.first { $0["valid"]?.bool == false }
    return (bundle ?? report)["diagnostics"]?[0]?["code"]?.string
  }

  // MARK: Changing files

  func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  func replace(_ text: String, with other: String, in path: String) throws {
    let old = String(decoding: try bytes(path), as: UTF8.self)
    #expect(old.contains(text))
    try write(old.replacing(text, with: other).utf8, to: path)
  }

  func flip(_ bit: UInt8 = 0, ofByte index: Int, in path: String) throws {
    var bytes = try bytes(path)
    bytes[index] ^= 1 << bit
    try write(bytes, to: path)
  }
}
