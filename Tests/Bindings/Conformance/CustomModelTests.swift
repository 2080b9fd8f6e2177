import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

/// Bundles whose model is registered by the application.
@Suite struct CustomModelTests {
  /// The number model of TensorIO for iOS, in Swift.
  private struct Line: ModelRunner {
    let bundle: ModelBundle

    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      let values = try input.values(for: bundle.description.inputs.map(\.name))
      let number = try values[0].value(as: Double.self)
      return ModelOutput(layers: [
        .init(name: bundle.description.outputs[0].name, value: .number(10 * number + 5))
      ])
    }
  }

  private func bundle(in folder: TemporaryFolder, class name: String) throws -> String {
    let layer = #""type": "array", "shape": [1]"#
    try folder.write(
      """
      {"name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
       "model": {"file": "none", "quantized": false, "class": "\(name)", "backend": "tflite",
                 "modes": ["predict"]},
       "inputs": [{"name": "input", \(layer)}], "outputs": [{"name": "output", \(layer)}]}
      """, to: "custom.tiobundle/model.json")
    return folder.path + "/custom.tiobundle"
  }

  @Test func `The library and the command line run a registered model`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(in: folder, class: "CustomModelTests.Line")
    ModelRegistry.shared.register("CustomModelTests.Line") { bundle, _ in Line(bundle: bundle) }
    #expect(try Model(at: path).run(2).value(as: Double.self) == 25)
    #expect(try Model(ModelBundle(at: path)).run(["input": 4]).value(as: Double.self) == 45)
    let outcome = TestConsole.run(["run", path, "2"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try CaseOutput(try outcome.json()).values == ["output": .number(25)])
  }

  @Test func `A bundle with an unregistered class is valid without opening its model`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(in: folder, class: "RegisteredModel")
    try folder.write("weights of its own kind", to: "custom.tiobundle/none")
    let outcome = TestConsole.run(["validate", path])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `A bundle with an unregistered class is inspected as declared`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(in: folder, class: "RegisteredModel")
    let arguments = ["inspect", path, "--litert-library", "/nowhere/libLiteRt.so"]
    let text = TestConsole.run(arguments)
    #expect(text.exitCode == 0, "\(text)")
    #expect(
      text.lines.contains { $0.contains("model not loaded") } && !text.output.contains("try it"))
    let report = try TestConsole.run(arguments + ["--format", "json"]).json()
    #expect(report["inputs"]?[0]?["declared"]?["name"]?.string == "input")
    #expect(report["inputs"]?[0]?["actual"] == .null)
    let warning = report["diagnostics"]?[0]
    #expect(warning?["code"]?.string == "unknown-class")
    #expect(warning?["path"]?.string == "/model/class" && warning?["line"]?.number == 2)
  }

  @Test func `An unregistered class is an error that lists the registered names`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(in: folder, class: "MissingModel")
    let registry = ModelRegistry()
    registry.register("RegisteredModel") { bundle, _ in Line(bundle: bundle) }
    let error = #expect(throws: ModelError.self) {
      try Model(at: path, options: .init(models: registry))
    }
    #expect(
      error?.reason
        == .unknownClass(
          "MissingModel", registered: ["RegisteredModel", "TIOTFLiteModel", "TIOTensorFlowModel"]))
    let outcome = TestConsole.run(["run", path, "2"])
    #expect(outcome.exitCode == 5 && outcome.messages.contains("'MissingModel'"), "\(outcome)")
  }
}
