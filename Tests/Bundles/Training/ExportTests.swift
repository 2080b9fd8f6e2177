import Foundation
import Synchronization
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore
@testable import TensorIOTraining

@Suite struct ExportTests {
  private static func files(_ path: String) -> [String: Data] {
    var files: [String: Data] = [:]
    for case let name as String in FileManager.default.enumerator(atPath: path) ?? .init() {
      files[name] = FileManager.default.contents(atPath: "\(path)/\(name)")
    }
    return files
  }

  private static func trained(
    hasOwnFiles: Bool = false
  ) throws -> (LinearBundle, LinearBackend, TrainableModel) {
    let bundle = try LinearBundle(hasSeparateFiles: hasOwnFiles)
    let backend = LinearBackend(sharesGraphs: !hasOwnFiles)
    let model = try bundle.open(on: backend)
    for _ in 0..<10 { try model.train(LinearBundle.points(4)) }
    return (bundle, backend, model)
  }

  @Test(arguments: [false, true])
  func `An exported bundle is complete and predicts like the model`(hasOwnFiles: Bool) throws {
    let (bundle, backend, model) = try Self.trained(hasOwnFiles: hasOwnFiles)
    let path = bundle.folder.path + "/new.tiobundle"
    try model.export(to: path)
    let exported = try ModelBundle(at: path)
    #expect(exported.description == model.bundle.description)
    let expected = try model.predictionModel().run(0.7)
    #expect(try Model(exported, on: backend).run(0.7) == expected)
    let again = try TrainableModel(exported, on: backend)
    #expect(try again.evaluate(LinearBundle.points(3)) == model.evaluate(LinearBundle.points(3)))
    let (old, new) = (Self.files(bundle.path), Self.files(path))
    #expect((old.keys + ["CARD.md", "manifest.json"]).sorted() == new.keys.sorted())
    let note =
      "Trained further from the bundle \(exported.id) (version \(exported.version)): 10 steps"
    #expect(new["CARD.md"]?.starts(with: Data(note.utf8)) == true)
    #expect(new["assets/notes/note.txt"] == Data("a note".utf8))
    #expect(new["predict/weights"] != old["predict/weights"])
    #expect(bundle.folder.entries == ["line.tiobundle", "new.tiobundle"])
  }

  @Test func `Examples contain the outputs of the trained weights, and the card their origin`()
    throws
  {
    let examples =
      #"{"input": 0.5, "output": {"prediction": 99}}, {"input": 1}, {"input": "none"}"#
    let bundle = try LinearBundle(examples: examples)
    try bundle.folder.write("# Line", to: "line.tiobundle/CARD.md")
    try bundle.folder.write("{}", to: "line.tiobundle/expected.json")
    let backend = LinearBackend()
    let model = try bundle.open(on: backend)
    try model.train(LinearBundle.points(4))
    let path = bundle.folder.path + "/new.tiobundle"
    try model.export(to: path)
    let exported = try ModelBundle(at: path)
    let expected = try model.predictionModel().run(0.5).value(as: Float.self)
    #expect(
      exported.description.examples.map(\.output) == [
        ["prediction": .number(Double("\(expected)") ?? 0)], [:], [:],
      ])
    let diagnostics = try Model(exported, on: backend).exampleDiagnostics()
    #expect(diagnostics.map(\.path) == ["/examples/2"])
    let card = String(decoding: Self.files(path)["CARD.md"] ?? Data(), as: UTF8.self)
    #expect(card.contains("1 step,") && card.hasSuffix("do not apply to this one.\n\n# Line"))
    #expect(Self.files(path)["expected.json"] == nil)
  }

  @Test func `An existing bundle is replaced only if overwriting is requested`() throws {
    let (bundle, _, model) = try Self.trained()
    let old = Self.files(bundle.path)
    #expect(throws: ModelError(.run, .alreadyExists(bundle.path))) {
      try model.export(to: bundle.path)
    }
    #expect(Self.files(bundle.path) == old)
    try model.export(to: bundle.path + "/", overwriting: true)
    #expect(Self.files(bundle.path) != old)
    #expect(
      Self.files(bundle.path).keys.sorted() == (old.keys + ["CARD.md", "manifest.json"]).sorted())
    #expect(bundle.folder.entries == ["line.tiobundle"])
    try bundle.folder.write("a file", to: "file")
    try model.export(to: bundle.folder.path + "/file", overwriting: true)
    #expect(try ModelBundle(at: bundle.folder.path + "/file").name == "Line")
  }

  @Test(arguments: ["predict", "train", "eval"])
  func `A full disk leaves the old bundle intact and no temporary files`(_ file: String) throws {
    let (bundle, backend, model) = try Self.trained(hasOwnFiles: true)
    let old = Self.files(bundle.path)
    backend.failsWrite.withLock { $0 = { $0.hasSuffix("\(file)/weights") } }
    #expect(throws: ModelError.self) { try model.export(to: bundle.path, overwriting: true) }
    #expect(throws: ModelError.self) { try model.export(to: bundle.folder.path + "/new") }
    #expect(Self.files(bundle.path) == old)
    #expect(bundle.folder.entries == ["line.tiobundle"])
  }

  @Test func `The next export removes the temporary files of a killed one and nothing else`() throws
  {
    let (bundle, _, model) = try Self.trained()
    let (killed, busy) = ("new.tiobundle.123.part", "new.tiobundle.456.part")
    for name in [killed, busy, "new.tiobundle.mine.part", "other.123.part"] {
      try bundle.folder.write("half", to: "\(name)/model.json")
    }
    let lock = DirectoryLock("\(bundle.folder.path)/\(busy)")
    try model.export(to: bundle.folder.path + "/new.tiobundle")
    withExtendedLifetime(lock) {
      #expect(lock != nil && !bundle.folder.entries.contains(killed))
      #expect(bundle.folder.entries.count == 5 && bundle.folder.entries.contains(busy))
    }
  }

  @Test func `An unwritable path is an error`() throws {
    let (_, _, model) = try Self.trained()
    #expect(throws: ModelError.self) { try model.export(to: "/nowhere/at/all.tiobundle") }
    #expect(throws: ModelError.self) { try model.saveCheckpoint(to: "/nowhere/at/all") }
  }

  @Test func `A checkpoint has the legacy file names and restores the weights`() throws {
    let (bundle, backend, model) = try Self.trained()
    let expected = try model.predictionModel().run(0.7)
    let path = bundle.folder.path + "/saved"
    try model.saveCheckpoint(to: path)
    #expect(
      Self.files(path).keys.sorted() == ["checkpoint.data-00000-of-00001", "checkpoint.index"])
    try bundle.folder.write("kept", to: "saved/other.txt")
    let first = Self.files(path)
    try model.train(LinearBundle.points(4))
    backend.failsWrite.withLock { $0 = { $0.hasSuffix(".index") } }
    #expect(throws: ModelError.self) { try model.saveCheckpoint(to: path) }
    #expect(Self.files(path) == first)
    try model.restoreCheckpoint(from: path)
    #expect(try model.predictionModel().run(0.7) == expected)
    backend.failsWrite.withLock { $0 = nil }
    try model.train(LinearBundle.points(4))
    try model.saveCheckpoint(to: path)
    #expect(Self.files(path).count == 3 && Self.files(path) != first)
    #expect(throws: ModelError.self) { try model.restoreCheckpoint(from: bundle.path) }
  }
}
