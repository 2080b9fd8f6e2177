import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

/// What goes wrong says at which stage, in which layer and in which file.
@Suite struct ModelRefusalTests {
  private func error(_ body: () throws -> Void) -> ModelError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ModelError
    }
  }

  @Test func `a description that does not fit the model names the bundle`() throws {
    let bundle = try TestBundle(inputs: #"{"name": "x", "type": "array", "shape": [3]}"#)
    let error = try #require(error { _ = try bundle.open(.pair) })
    #expect(error.stage == .bundle)
    #expect(error.code == "tensor-shape")
    #expect(error.file == bundle.path)
    #expect(error.description.contains("/inputs/0/shape"))
  }

  @Test func `labels that are not there name the layer and the bundle`() throws {
    let bundle = try TestBundle(
      outputs: #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#)
    let error = error { _ = try bundle.open(.pair) }
    #expect(
      error
        == ModelError(
          .bundle, .missingFile("assets/labels.txt"), layer: "y", file: bundle.path))
  }

  @Test func `a model file that is not there names the bundle`() throws {
    let bundle = try TestBundle(
      model: #""file": "other.tflite", "quantized": false, "backend": "tflite""#)
    let error = error { _ = try bundle.open(.pair) }
    #expect(error == ModelError(.bundle, .missingFile("other.tflite"), file: bundle.path))
  }

  @Test func `a runtime's own refusal is passed on`() throws {
    let refusal = ModelError(
      .runtime, .modelRejected(detail: "unknown operator"), file: "model.tflite")
    let bundle = try TestBundle()
    #expect(error { _ = try bundle.open(on: FakeBackend(failingWith: refusal)) } == refusal)
  }

  static let inputs: [(input: ModelInput, layer: String?, reason: ModelError.Reason)] = [
    ([1, 2, 3], "x", .wrongCount(expected: 2, actual: 3)),
    ([], "x", .wrongType(expected: "2 numbers", actual: "a list of 0")),
    (.value("two".layerValue), "x", .wrongType(expected: "2 numbers", actual: "a text")),
    (["x": "two"], "x", .wrongType(expected: "2 numbers", actual: "a text")),
    (["z": [1, 2]], nil, .inputNames(missing: ["x"], unexpected: ["z"], declared: ["x"])),
    (.value(.bytes([1])), "x", .wrongByteCount(expected: 8, actual: 1)),
  ]

  @Test(arguments: inputs)
  func `an input that does not fit is told with its layer`(
    input: ModelInput, layer: String?, reason: ModelError.Reason
  ) async throws {
    let model = try TestBundle().open(.pair)
    let expected = ModelError(.input, reason, layer: layer)
    #expect(error { _ = try model.run(input) } == expected)
    await #expect(throws: expected) { try await model.submit(input) }
  }

  @Test func `a computation that fails is told, and the next one works`() async throws {
    let failure = ModelError(.run, .callFailed(function: "invoke", status: 3, message: "no"))
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [2])
    let fake = FakeModel(inputs: [tensor], outputs: [tensor]) { inputs throws(ModelError) in
      guard inputs[0].values(of: Float.self) != [0, 0] else { throw failure }
      return inputs
    }
    let model = try TestBundle().open(fake)
    #expect(error { _ = try model.run([0, 0]) } == failure)
    await #expect(throws: failure) { try await model.submit([0, 0] as [Float]) }
    #expect(try [Float](model.run([1, 2])["y"]) == [1, 2])
  }

  @Test func `a model that gives too little is told with its layer`() throws {
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [2])
    let model = try TestBundle().open(FakeModel(inputs: [tensor], outputs: [tensor]) { _ in [[1]] })
    #expect(
      error { _ = try model.run([1, 2]) }
        == ModelError(.output, .wrongCount(expected: 2, actual: 0), layer: "y"))
  }
}
