import TensorIOBundle
import TensorIOCore
import Testing

@testable import TensorIOCommand

@Suite struct RuntimeCommandTests {
  @Test func `The library of an unknown runtime is not searched for`() {
    let specification = RuntimeLibrarySpecification(
      backend: BackendIdentifier(rawValue: "onnx"), name: "onnx", displayName: "ONNX Runtime",
      libraryFileName: "libonnxruntime.so", environmentVariable: "TENSORIO_ONNX_LIBRARY",
      version: "1.0", wheels: [])
    let error = ModelError(
      .runtime, .unknownBackend(BackendIdentifier(rawValue: "onnx"), known: [.tflite, .tensorflow]))
    #expect(throws: error) { try specification.locate() }
  }
}
