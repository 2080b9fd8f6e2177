import TensorIO
import TensorIOBundle
import TensorIOCore
import Testing

/// An application's runtime, which ignores its inputs and outputs zeros.
private struct ZeroBackend: Backend {
  let identifier = BackendIdentifier.tflite

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    guard file.name.hasSuffix(".tflite") else {
      throw ModelError(.runtime, .modelRejected(detail: "no model"), file: file.path)
    }
    return ZeroModel()
  }
}

private struct ZeroModel: RuntimeModel {
  let signature = ModelSignature(
    name: "main", inputs: [TensorInfo(name: "in", elementType: .float32, shape: [1, 10])],
    outputs: [TensorInfo(name: "out", elementType: .float32, shape: [1, 1])])
  var signatures: [ModelSignature] { [signature] }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session { ZeroSession() }
}

private final class ZeroSession: Session {
  let abilities = SessionAbilities()
  func resize(_ shapes: [[Int]]) throws(ModelError) {}

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    var numbers = [Float](repeating: 0, count: 10)
    var span = numbers.mutableSpan
    var memory = unsafe span.mutableBytes
    try body(&memory)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {}

  func invoke() throws(ModelError) {}

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try body(unsafe [Float](repeating: 0, count: 1).span.bytes, [1, 1])
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] { [] }
}

@Suite struct OwnBackend {
  @Test func `An application can provide its own runtime`() throws {
    let runtimes = RuntimeRegistry()
    runtimes.register(RuntimeDescriptor(.tflite, displayName: "Zero") { _ in ZeroBackend() })
    let bundle = try ModelBundle(at: Bundles.diabetes)
    let patient = [Float](repeating: 1, count: 10)
    let model = try Model(bundle, options: OpeningOptions(runtimes: runtimes))
    #expect(try Double(model.run(patient)["progression"]) == 0)
    let isolated = OpeningOptions(isolation: Isolation(), runtimes: runtimes)
    #expect(throws: ModelError(.runtime, .unsupported("Zero in a worker process"))) {
      try Model(bundle, options: isolated)
    }
    let accelerated = OpeningOptions(accelerator: .gpu, runtimes: runtimes)
    let error = #expect(throws: ModelError.self) { try Model(bundle, options: accelerated) }
    #expect(error?.reason == .unsupported("a GPU with Zero"))
  }
}
