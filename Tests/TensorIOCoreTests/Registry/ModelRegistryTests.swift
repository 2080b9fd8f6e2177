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
      throw ModelError(.input, .failed("a multiplier takes one number"))
    }
    return ModelOutput(layers: [.init(name: "y", value: .number(factor * number))])
  }
}

@Suite(.timeLimit(.minutes(1))) struct ModelRegistryTests {
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

  @Test func `a registered model runs through every door`() async throws {
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

  @Test func `its errors are those of the library`() async throws {
    let model = try model(in: ModelRegistry())
    #expect(throws: ModelError(.input, .failed("a multiplier takes one number"))) {
      try model.run("text")
    }
    let error = #expect(throws: ModelError.self) {
      try model.run(batch: [["x": 2], ["z": 2]] as [ModelInput])
    }
    #expect(error?.item == 1 && error?.code == "input-names")
    var output: [Float] = [0]
    #expect(throws: ModelError.self) { try model.run([2], into: &output) }
  }

  @Test func `an unregistered name is an error that lists the registered ones`() throws {
    let registry = ModelRegistry()
    registry.register("Halver") { _, _ in Multiplier(factor: 0.5, names: ["x"]) }
    let bundle = try bundle(class: "Multiplier").read()
    let error = #expect(throws: ModelError.self) { try registry.runner(for: bundle) }
    #expect(
      error?.message == "no model is registered as 'Multiplier'; registered are "
        + "'Halver', 'TIOTFLiteModel', 'TIOTensorFlowModel'")
    #expect(error?.file == bundle.path)
  }

  @Test(arguments: ["TIOTFLiteModel", "TIOTensorFlowModel"])
  func `the original's classes stand for runtimes`(_ name: String) throws {
    let registry = ModelRegistry()
    #expect(registry.names.contains(name))
    let bundle = try bundle(class: name).read()
    #expect(try registry.runner(for: bundle) == nil)
    registry.register(name) { _, _ in Multiplier(factor: 2, names: ["x"]) }
    #expect(try registry.runner(for: bundle) != nil)
    #expect(try ModelRegistry().runner(for: bundle) == nil)
  }

  @Test func `a bundle without a class, and a placeholder, ask for nothing`() throws {
    #expect(try ModelRegistry().runner(for: TestBundle().read()) == nil)
    let placeholder = try TestBundle(
      model: #""file": "", "quantized": false, "class": "Nobody""#, isPlaceholder: true)
    #expect(try ModelRegistry().runner(for: placeholder.read()) == nil)
  }

  @Test func `a factory's error is the opener's`() throws {
    let registry = ModelRegistry()
    let refusal = ModelError(.bundle, .failed("not today"))
    registry.register("Multiplier") { (_, _) throws(ModelError) in throw refusal }
    let bundle = try bundle(class: "Multiplier").read()
    #expect(throws: refusal) { try registry.runner(for: bundle) }
  }

  @Test func `a model may wrap that of a runtime`() throws {
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

  @Test func `many threads register and ask`() async throws {
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
