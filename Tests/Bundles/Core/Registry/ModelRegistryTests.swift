import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// A model in Swift: y = factor · x.
private struct Multiplier: ModelRunner {
  let factor: Double
  let names: [String]

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    guard let number = try input.values(for: names)[0].number else {
      throw ModelError(.input, .failed("expected one number"))
    }
    return ModelOutput(layers: [.init(name: "y", value: .number(factor * number))])
  }
}

@Suite(.hangGuard) struct ModelRegistryTests {
  private func bundle(class name: String) throws -> TestBundle {
    let one = #""type": "array", "shape": [1]"#
    return try TestBundle(
      inputs: #"{"name": "x", \#(one)}"#, outputs: #"{"name": "y", \#(one)}"#,
      model: #""file": "model.tflite", "quantized": false, "class": "\#(name)""#)
  }

  private func model(in registry: ModelRegistry) throws -> Model {
    registry.register("Multiplier") { bundle, _ in
      Multiplier(factor: 3, names: bundle.description.inputs.map(\.name))
    }
    let bundle = try bundle(class: "Multiplier").read()
    return Model(bundle, runner: try #require(try registry.runner(for: bundle)))
  }

  @Test func `A registered model runs through every API`() async throws {
    let model = try model(in: ModelRegistry())
    let expected = ModelOutput(layers: [.init(name: "y", value: .number(6))])
    var timings = Timings()
    #expect(try model.run(2) == expected)
    #expect(try model.run(["x": 2]) == expected)
    #expect(try model.run(2.0 as Double, timings: &timings) == expected)
    #expect(timings.total >= timings.run && timings.run > .zero)
    #expect(try await model.submit(2) == expected)
    #expect(try model.run(batch: [2, 2]) == [expected, expected])
    #expect(try await model.submit(batch: [2, 2]) == [expected, expected])
    #expect(model.signature == nil)
    #expect(model.inputs.map(\.name) == ["x"])
  }

  @Test func `A registered model is opened for the requested mode`() throws {
    let one = #""type": "array", "shape": [1]"#
    let bundle = try TestBundle(
      inputs: #"{"name": "x", \#(one)}"#, outputs: #"{"name": "y", \#(one)}"#,
      modes: #"["predict", "eval"]"#,
      extra: #""eval": {"outputs": [{"name": "loss", \#(one)}]}"#
    ).read()
    let runner = Multiplier(factor: 3, names: ["x"])
    let evaluating = Model(bundle, runner: runner, options: OpeningOptions(mode: .evaluate))
    #expect(evaluating.mode == .evaluate && evaluating.outputs.map(\.name) == ["loss"])
    let predicting = Model(bundle, runner: runner)
    #expect(predicting.mode == .predict && predicting.outputs.map(\.name) == ["y"])
  }

  @Test func `Its errors are model errors with the usual context`() async throws {
    let model = try model(in: ModelRegistry())
    #expect(throws: ModelError(.input, .failed("expected one number"))) {
      try model.run("text")
    }
    let error = #expect(throws: ModelError.self) {
      try model.run(batch: [["x": 2], ["z": 2]] as [ModelInput])
    }
    #expect(error?.item == 1 && error?.code == "input-names")
    var output: [Float] = [0]
    #expect(throws: ModelError.self) { try model.run([2], into: &output) }
  }

  @Test func `An unregistered name is an error that lists the registered names`() throws {
    let registry = ModelRegistry()
    registry.register("Halver") { _, _ in Multiplier(factor: 0.5, names: ["x"]) }
    let bundle = try bundle(class: "Multiplier").read()
    let error = #expect(throws: ModelError.self) { try registry.runner(for: bundle) }
    #expect(
      error?.message == "no model class 'Multiplier' is registered; registered: "
        + "'Halver', 'TIOTFLiteModel', 'TIOTensorFlowModel'")
    #expect(error?.file == bundle.path)
  }

  @Test(arguments: ["TIOTFLiteModel", "TIOTensorFlowModel"])
  func `The legacy class names select the runtimes`(_ name: String) throws {
    let registry = ModelRegistry()
    #expect(registry.names.contains(name))
    let bundle = try bundle(class: name).read()
    #expect(try registry.runner(for: bundle) == nil)
    registry.register(name) { _, _ in Multiplier(factor: 2, names: ["x"]) }
    #expect(try registry.runner(for: bundle) != nil)
    #expect(try ModelRegistry().runner(for: bundle) == nil)
  }

  @Test func `A bundle without a class and a placeholder need no registered model`() throws {
    #expect(try ModelRegistry().runner(for: TestBundle().read()) == nil)
    let placeholder = try TestBundle(
      model: #""file": "", "quantized": false, "class": "MissingModel""#, isPlaceholder: true)
    #expect(try ModelRegistry().runner(for: placeholder.read()) == nil)
  }

  @Test func `The error of a factory is rethrown`() throws {
    let registry = ModelRegistry()
    let expectedError = ModelError(.bundle, .failed("not today"))
    registry.register("Multiplier") { (_, _) throws(ModelError) in throw expectedError }
    let bundle = try bundle(class: "Multiplier").read()
    #expect(throws: expectedError) { try registry.runner(for: bundle) }
  }

  @Test func `A model can wrap the model of a runtime`() throws {
    struct Wrapper: ModelRunner {
      let inner: Model
      func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
        let value = try inner.run(input)["y"]
        return ModelOutput(layers: [.init(name: "wrapped", value: value)])
      }
    }
    let registry = ModelRegistry()
    registry.register("Wrapper") { (bundle, options) throws(ModelError) in
      Wrapper(inner: try Model(bundle, on: FakeBackend(.pair), options: options))
    }
    let bundle = try TestBundle(
      model: #""file": "model.tflite", "quantized": false, "class": "Wrapper""#)
    let opened = try bundle.read()
    let model = Model(opened, runner: try #require(try registry.runner(for: opened)))
    #expect(try [Float](model.run([1, 2])["wrapped"]) == [1, 2])
  }

  @Test func `Models can be registered and looked up from many threads`() async throws {
    let registry = ModelRegistry()
    let bundle = try bundle(class: "C7").read()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          registry.register("C\(number % 10)") { _, _ in Multiplier(factor: 1, names: ["x"]) }
          _ = try? registry.runner(for: bundle)
        }
      }
    }
    #expect(registry.names.count == 12)
  }
}
