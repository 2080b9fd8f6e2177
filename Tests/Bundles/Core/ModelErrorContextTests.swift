import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Errors contain their stage, layer and file.
@Suite struct ModelErrorContextTests {
  private func error(_ body: () throws -> Void) -> ModelError? {
    do {
      try body()
      return nil
    } catch {
      return error as? ModelError
    }
  }

  @Test func `The error of a mismatch between description and model names the bundle`() throws {
    let bundle = try TestBundle(inputs: #"{"name": "x", "type": "array", "shape": [3]}"#)
    let error = try #require(error { _ = try bundle.open(.pair) })
    #expect(error.stage == .bundle)
    #expect(error.code == "tensor-shape")
    #expect(error.file == bundle.path)
    #expect(error.description.contains("/inputs/0/shape"))
  }

  @Test func `The error of a missing label file names the layer and the bundle`() throws {
    let bundle = try TestBundle(
      outputs: #"{"name": "y", "type": "array", "shape": [2], "labels": "labels.txt"}"#)
    let error = error { _ = try bundle.open(.pair) }
    #expect(
      error
        == ModelError(
          .bundle, .missingFile("assets/labels.txt"), layer: "y", file: bundle.path))
  }

  @Test func `The error of a missing model file names the bundle`() throws {
    let bundle = try TestBundle(
      model: #""file": "other.tflite", "quantized": false, "backend": "tflite""#)
    let error = error { _ = try bundle.open(.pair) }
    #expect(error == ModelError(.bundle, .missingFile("other.tflite"), file: bundle.path))
  }

  @Test func `An error of the runtime is rethrown`() throws {
    let expectedError = ModelError(
      .runtime, .modelRejected(detail: "unknown operator"), file: "model.tflite")
    let bundle = try TestBundle()
    #expect(
      error { _ = try bundle.open(on: FakeBackend(failingWith: expectedError)) } == expectedError)
  }

  static let inputs: [(input: ModelInput, layer: String?, reason: ModelError.Reason)] = [
    ([1, 2, 3], "x", .wrongCount(expected: 2, actual: 3)),
    ([], "x", .wrongType(expected: "2 numbers", actual: "a list of 0 values")),
    (.value("two".layerValue), "x", .wrongType(expected: "2 numbers", actual: "a string")),
    (["x": "two"], "x", .wrongType(expected: "2 numbers", actual: "a string")),
    (["z": [1, 2]], nil, .inputNames(missing: ["x"], unexpected: ["z"], declared: ["x"])),
    (.value(.bytes([1])), "x", .wrongByteCount(expected: 8, actual: 1)),
  ]

  @Test(arguments: inputs)
  func `An invalid input is reported with its layer`(
    input: ModelInput, layer: String?, reason: ModelError.Reason
  ) async throws {
    let model = try TestBundle().open(.pair)
    let expected = ModelError(.input, reason, layer: layer)
    #expect(error { _ = try model.run(input) } == expected)
    await #expect(throws: expected) { try await model.submit(input) }
  }

  @Test func `A failed run is reported, and the next one succeeds`() async throws {
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

  @Test func `An output that is too small is reported with its layer`() throws {
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [2])
    let model = try TestBundle().open(FakeModel(inputs: [tensor], outputs: [tensor]) { _ in [[1]] })
    #expect(
      error { _ = try model.run([1, 2]) }
        == ModelError(.output, .wrongCount(expected: 2, actual: 0), layer: "y"))
  }
}
