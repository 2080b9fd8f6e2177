import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct LoadingTests {
  /// The reason for which a fixture, changed on the way, cannot be loaded.
  private func refusal(
    of name: String, _ change: (String) throws -> Void
  ) throws -> ModelError? {
    let folder = try TemporaryFolder()
    let path = try folder.copy(SavedModels.path(name) + "/model", as: "model")
    try change(path)
    let description = ModelDescription(
      inputs: [.numbers("x", [-1, 2])], outputs: [.numbers("y", [-1, 1])])
    return #expect(throws: ModelError.self) {
      try SavedModels.backend.load(
        ModelFile(path: path, name: "model"), for: ModelBinding(description, mode: .predict))
    }
  }

  @Test func `without a description, a signature says what goes in and comes out`() throws {
    let model = try SavedModels.backend.model(at: SavedModels.file("signature-keys"))
    #expect(!model.signature.inputs.isEmpty && !model.signature.outputs.isEmpty)
  }

  @Test func `without either, nothing does`() throws {
    let sketch = try SketchedModel(.savedModel(.graph([.placeholder, .copy])))
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.model(at: ModelFile(path: sketch.path, name: "model"))
    }
    #expect(error?.code == "model-refused")
  }

  @Test func `a folder without its description says what is missing`() throws {
    let error = try refusal(of: "linear-regression") {
      try FileManager.default.removeItem(atPath: $0 + "/saved_model.pb")
    }
    #expect(error?.reason == .missingFile("model/saved_model.pb"))
    #expect(error?.stage == .bundle)
  }

  @Test func `a graph without its variables says so before it is run`() throws {
    let error = try refusal(of: "linear-regression") {
      try FileManager.default.removeItem(atPath: $0 + "/variables")
    }
    #expect(error?.reason == .missingFile("model/variables/variables.index"))
  }

  @Test func `variables without their values are refused in TensorFlow's words`() throws {
    let error = try refusal(of: "linear-regression") {
      try FileManager.default.removeItem(
        atPath: $0 + "/variables/variables.data-00000-of-00001")
    }
    #expect(error?.code == "model-refused")
    let message = error?.message ?? ""
    #expect(message.contains("/model/variables") && !message.contains("tensorio-graph"))
  }

  @Test func `a damaged description is refused`() throws {
    let error = try refusal(of: "linear-regression") {
      try Data([0x12, 0x7F, 0x00]).write(to: URL(filePath: $0 + "/saved_model.pb"))
    }
    #expect(error?.code == "model-refused")
    #expect(error?.message.contains("damaged") == true)
  }

  @Test func `a file in place of the folder is refused`() throws {
    let file = ModelFile(path: SavedModels.path("int32") + "/model.json", name: "model.json")
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.load(
        file, for: ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict))
    }
    #expect(error?.code == "model-refused" && error?.stage == .runtime)
  }

  @Test func `a graph that is exchanged after its review is not the one that runs`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(SavedModels.path("linear-regression") + "/model", as: "model")
    let file = ModelFile(path: path, name: "model")
    let reviewed = try SavedModelFile(folder: file)
    let other = WireWriter.savedModel(.graph([.placeholder]))
    try folder.write(other.bytes, to: "model/saved_model.pb")
    let library = try #require(SavedModels.library)
    let use = ModelBinding(try SavedModels.bundle("linear-regression").description, mode: .predict)
    let load = { caution in
      try TensorFlowModel(file, reviewed, for: use, caution, in: library)
    }
    let session = try load(.reviewSnapshot).makeSession(SessionOptions())
    let expected = try SavedModels.model("linear-regression").makeSession(SessionOptions())
    for session in [session, expected] {
      try session.resize([[1, 2]])
      try session.fill(0, [1, 2])
      try session.invoke()
    }
    #expect(try session.numbers(0) == expected.numbers(0))
    #expect(throws: ModelError.self) { try load(.none) }
  }

  @Test func `the only graph is for every mode, and of several the one with the tag`() throws {
    let only = try SavedModelFile(folder: SavedModels.file("linear-regression"))
    let several = try SavedModelFile(folder: SavedModels.file("several-tags"))
    for mode in ModelMode.allCases {
      #expect(try only.graph(for: mode).facts.tags == ["serve"])
      #expect(try several.graph(for: mode).facts.tags == [mode.tag])
    }
  }

  @Test func `a tag that no graph has is told with those that there are`() throws {
    let about = WireWriter { model in
      for tag in ["a", "b"] { model.message(2) { $0.message(1) { $0.text(4, tag) } } }
    }
    let error = #expect(throws: ModelError.self) {
      try SavedModelFile(about.bytes).graph(for: .train)
    }
    let words = error?.message ?? ""
    #expect(words.contains("'train'") && words.contains("'a'") && words.contains("'b'"))
  }

  @Test(arguments: [("imput", "graph_a"), ("grpah_a", "graph_a"), ("qqqqqqqq", nil)])
  func `a name for which there is nothing is told with the one that was meant`(
    _ name: String, _ meant: String?
  ) throws {
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.load(
        SavedModels.file("signature-keys"),
        for: ModelBinding(
          ModelDescription(inputs: [.numbers(name, [2])], outputs: [.numbers("sum", [2])]),
          mode: .predict))
    }
    guard case .invalidDescription(let problems) = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problems.map(\.code) == ["unknown-tensor"] && problems.first?.path == "/inputs/0/name")
    if meant == nil || name == "imput" { return }
    #expect(problems.first?.suggestion == "did you mean '\(meant ?? "")'?")
  }

  @Test func `a library that is none is refused with a reason`() throws {
    let error = #expect(throws: ModelError.self) {
      try TensorFlowBackend(library: SavedModels.path("int32") + "/model.json").locateLibrary()
    }
    #expect(error?.code == "runtime-missing")
    #expect(error?.message.contains("tensorio runtime install tensorflow") == true)
  }

  @Test func `a library of something else lacks a function`() throws {
    let error = #expect(throws: ModelError.self) {
      try TensorFlowBackend(library: "libm.so.6").locateLibrary()
    }
    #expect(error?.message.contains("lacks the function TF_Version") == true)
  }
}
