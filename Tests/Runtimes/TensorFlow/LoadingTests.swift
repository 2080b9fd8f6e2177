import Foundation
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTensorFlow

@Suite struct LoadingTests {
  /// Modifies a copy of a fixture and returns the error of loading it.
  private func loadError(
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

  @Test func `Without a description, the signature determines inputs and outputs`() throws {
    let model = try SavedModels.backend.model(at: SavedModels.file("signature-keys"))
    #expect(!model.signature.inputs.isEmpty && !model.signature.outputs.isEmpty)
  }

  @Test func `The first operators on an input are found inside functions`() throws {
    let keras = try SavedModels.backend.model(at: SavedModels.file("keras"))
    #expect(keras.rescaling(ofInput: 0)?.scale == [0.5])
    #expect(keras.rescaling(ofInput: 0)?.offset == [0])
    #expect(keras.rescaling(ofInput: 1) == nil)
    let plain = try SavedModels.backend.model(at: SavedModels.file("signature-keys"))
    #expect(plain.rescaling(ofInput: 0)?.isIdentity == true)
  }

  @Test func `A model without description and signature is rejected`() throws {
    let sketch = try SketchedModel(.savedModel(.graph([.placeholder, .copy])))
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.model(at: ModelFile(path: sketch.path, name: "model"))
    }
    #expect(error?.code == "model-rejected")
  }

  @Test func `A folder without saved_model.pb is reported with the missing file`() throws {
    let error = try loadError(of: "linear-regression") {
      try FileManager.default.removeItem(atPath: $0 + "/saved_model.pb")
    }
    #expect(error?.reason == .missingFile("model/saved_model.pb"))
    #expect(error?.stage == .bundle)
  }

  @Test func `Missing variables are reported when the model is loaded`() throws {
    let error = try loadError(of: "linear-regression") {
      try FileManager.default.removeItem(atPath: $0 + "/variables")
    }
    #expect(error?.reason == .missingFile("model/variables/variables.index"))
  }

  @Test func `Missing variable data is reported with TensorFlow's message and the model's path`()
    throws
  {
    let error = try loadError(of: "linear-regression") {
      try FileManager.default.removeItem(
        atPath: $0 + "/variables/variables.data-00000-of-00001")
    }
    #expect(error?.code == "model-rejected")
    let message = error?.message ?? ""
    #expect(message.contains("/model/variables") && !message.contains("tensorio-graph"))
  }

  @Test func `A corrupt saved_model.pb is rejected`() throws {
    let error = try loadError(of: "linear-regression") {
      try Data([0x12, 0x7F, 0x00]).write(to: URL(filePath: $0 + "/saved_model.pb"))
    }
    #expect(error?.code == "model-rejected")
    #expect(error?.message.contains("corrupt") == true)
  }

  @Test func `A file instead of a folder is rejected`() throws {
    let file = ModelFile(path: SavedModels.path("int32") + "/model.json", name: "model.json")
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.load(
        file, for: ModelBinding(ModelDescription(inputs: [], outputs: []), mode: .predict))
    }
    #expect(error?.code == "model-rejected" && error?.stage == .runtime)
  }

  @Test func `A graph that is replaced after its review is not loaded`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy(SavedModels.path("linear-regression") + "/model", as: "model")
    let file = ModelFile(path: path, name: "model")
    let reviewed = try SavedModelFile(folder: file)
    let other = WireWriter.savedModel(.graph([.placeholder]))
    try folder.write(other.bytes, to: "model/saved_model.pb")
    let library = try #require(SavedModels.library)
    let use = ModelBinding(try SavedModels.bundle("linear-regression").description, mode: .predict)
    let load = { policy in
      try TensorFlowModel(file, reviewed, for: use, policy, in: library)
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

  @Test func `A single graph serves every mode; several are selected by tag`() throws {
    let only = try SavedModelFile(folder: SavedModels.file("linear-regression"))
    let several = try SavedModelFile(folder: SavedModels.file("several-tags"))
    for mode in ModelMode.allCases {
      #expect(try only.graph(for: mode).metaGraph.tags == ["serve"])
      #expect(try several.graph(for: mode).metaGraph.tags == [mode.tag])
    }
  }

  @Test func `An error for a missing tag lists the available tags`() throws {
    let file = WireWriter { model in
      for tag in ["a", "b"] { model.message(2) { $0.message(1) { $0.text(4, tag) } } }
    }
    let error = #expect(throws: ModelError.self) {
      try SavedModelFile(file.bytes).graph(for: .train)
    }
    let message = error?.message ?? ""
    #expect(message.contains("'train'") && message.contains("'a'") && message.contains("'b'"))
  }

  @Test(arguments: [("imput", "graph_a"), ("grpah_a", "graph_a"), ("qqqqqqqq", nil)])
  func `An unknown tensor name is reported with the closest match`(
    _ name: String, _ closest: String?
  ) throws {
    let error = #expect(throws: ModelError.self) {
      try SavedModels.backend.load(
        SavedModels.file("signature-keys"),
        for: ModelBinding(
          ModelDescription(inputs: [.numbers(name, [2])], outputs: [.numbers("sum", [2])]),
          mode: .predict))
    }
    guard let diagnostics = error?.diagnostics(of: ModelError.invalidDescription) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(diagnostics.map(\.code) == ["unknown-tensor"])
    #expect(diagnostics.first?.path == "/inputs/0/name")
    if closest == nil || name == "imput" { return }
    #expect(diagnostics.first?.suggestion == "did you mean '\(closest ?? "")'?")
  }

  @Test func `A file that is not a library is rejected with a reason`() throws {
    let error = #expect(throws: ModelError.self) {
      try TensorFlowBackend(library: SavedModels.path("int32") + "/model.json").locateLibrary()
    }
    #expect(error?.code == "runtime-missing")
    #expect(error?.message.hasSuffix("; correct the path of libtensorflow_cc.so.2") == true)
  }

  @Test func `An unrelated library is rejected with the name of the missing function`() throws {
    let error = #expect(throws: ModelError.self) {
      try TensorFlowBackend(library: "libm.so.6").locateLibrary()
    }
    #expect(error?.message.contains("lacks the function TF_Version") == true)
  }
}
