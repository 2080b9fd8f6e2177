import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOONNX
import TensorIOTestSupport
import Testing

/// ONNX models in worker processes.
@Suite(.serialized, .ownThreads) struct ONNXWorkerTests {
  private static let sandbox = Isolation(level: .sandbox)
  private static let levels: [Isolation.Level] =
    (try? IsolatedBackend(.onnxRuntime, isolation: sandbox).checkAvailability()) == nil
    ? [.process] : [.process, .sandbox]

  private static func file(_ name: String) -> ModelFile {
    ModelFile(
      path: ProjectFiles.path("Tests/Fixtures/ONNX/\(name).onnx"), name: "\(name).onnx")
  }

  /// Returns a binding of all inputs and outputs, whose names and shapes are those of the model.
  private static func binding(_ name: String) throws -> ModelBinding {
    let signature = try ONNXBackend().model(at: file(name)).signature
    func layers(_ tensors: [TensorInfo]) -> [Layer] {
      tensors.map { Layer(name: $0.name, kind: .array(NumericLayer(shape: $0.shape))) }
    }
    let description = ModelDescription(
      inputs: layers(signature.inputs), outputs: layers(signature.outputs))
    return ModelBinding(description, mode: .predict, threads: 1)
  }

  /// Loads a model, runs it on numbers with a pattern, and returns the bytes of the outputs.
  private static func run(
    _ file: ModelFile, _ binding: ModelBinding, on backend: any Backend
  ) throws -> [[UInt8]] {
    let model = try backend.load(file, for: binding)
    let session = try model.makeSession(SessionOptions())
    for (index, input) in model.signature.inputs.enumerated() where input.elementType != .string {
      try session.fill(index) { (memory) throws(ModelError) in
        for offset in 0..<memory.byteCount {
          memory.storeBytes(of: UInt8(offset * 7 % 50), toByteOffset: offset, as: UInt8.self)
        }
      }
    }
    try session.invoke()
    var outputs: [[UInt8]] = []
    for (index, output) in model.signature.outputs.enumerated() {
      guard output.elementType != .string else {
        outputs += try session.readStrings(index)
        continue
      }
      try session.read(index) { (memory, _) throws(ModelError) in
        outputs.append(
          (0..<memory.byteCount).map {
            unsafe memory.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
          })
      }
    }
    return outputs
  }

  @Test(
    arguments: [
      "convolution", "recurrent", "linear-external", "classes-named", "found", "shapes",
    ], levels)
  func `Outputs in a worker equal those in this process`(
    _ name: String, _ level: Isolation.Level
  ) throws {
    let binding = try Self.binding(name)
    let expected = try Self.run(Self.file(name), binding, on: ONNXBackend())
    let isolated = IsolatedBackend(.onnxRuntime, isolation: Isolation(level: level))
    #expect(try Self.run(Self.file(name), binding, on: isolated) == expected)
  }

  @Test(arguments: levels) func `A worker reads a large file`(_ level: Isolation.Level) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/large.onnx"
    let byteCount = 20 * LargeONNXModel.columns * 1000
    try LargeONNXModel.write(byteCount, to: URL(filePath: path))
    let layers = [
      Layer(name: "x", kind: .array(NumericLayer(shape: [1]))),
      Layer(name: "y", kind: .array(NumericLayer(shape: [1, LargeONNXModel.columns]))),
    ]
    let binding = ModelBinding(
      ModelDescription(inputs: [layers[0]], outputs: [layers[1]]), mode: .predict, threads: 1)
    let isolated = IsolatedBackend(.onnxRuntime, isolation: Isolation(level: level))
    let session = try isolated.load(ModelFile(path: path, name: "large.onnx"), for: binding)
      .makeSession(SessionOptions())
    try session.fill(0, bytes: [Float(LargeONNXModel.rows(byteCount) - 1)].rawBytes)
    try session.invoke()
    #expect(
      try session.bytes().values(of: Float.self)
        == Array(repeating: 1, count: LargeONNXModel.columns))
  }

  @Test(arguments: levels) func `A run of several threads works in a worker`(
    _ level: Isolation.Level
  ) throws {
    let one = try Self.binding("convolution")
    var description = ModelDescription(inputs: one.inputs, outputs: one.outputs)
    description.placeholders = []
    let three = ModelBinding(description, mode: .predict, threads: 3)
    let isolated = IsolatedBackend(.onnxRuntime, isolation: Isolation(level: level))
    #expect(
      try Self.run(Self.file("convolution"), three, on: isolated).map(\.count)
        == Self.run(Self.file("convolution"), one, on: ONNXBackend()).map(\.count))
  }

  @Test(.hangGuard) func `A run without end is ended by the timeout`() throws {
    let isolated = IsolatedBackend(
      .onnxRuntime, isolation: Isolation(timeout: .milliseconds(1500)))
    let binding = try Self.binding("endless")
    let error = failure { _ = try Self.run(Self.file("endless"), binding, on: isolated) }
    #expect(error?.stage == .run)
    #expect(error?.code == "worker-crashed")
  }

  @Test(.hangGuard, arguments: [nil] + levels.map(Optional.some))
  func `A run without end ends at its time limit, or when its task is canceled`(
    _ level: Isolation.Level?
  ) async throws {
    let signature = try ONNXBackend().model(at: Self.file("endless")).signature
    func layers(_ tensors: [TensorInfo]) -> String {
      tensors.map { #"{"name": "\#($0.name)", "type": "array", "shape": [1]}"# }
        .joined(separator: ", ")
    }
    let bundle = try TestBundle(
      inputs: layers(signature.inputs), outputs: layers(signature.outputs),
      model: #""file": "model.onnx", "quantized": false, "backend": "onnx""#)
    try bundle.write(
      Array(Data(contentsOf: URL(filePath: Self.file("endless").path))), to: "model.onnx")
    // More runs end than workers may crash.
    let isolation = level.map { Isolation(level: $0, timeout: HangGuard.step, maxCrashes: 2) }
    let limited = try Model(
      at: bundle.path,
      options: OpeningOptions(threads: 1, runTimeout: .milliseconds(50), isolation: isolation))
    for _ in 0..<3 {
      let error = try #require(throws: ModelError.self) { try limited.run([1]) }
      #expect(error.reason == .runTimedOut(limit: .milliseconds(50)))
    }
    let model = try Model(
      at: bundle.path, options: OpeningOptions(threads: 1, isolation: isolation))
    let task = Task { try await model.submit([1]) }
    try await Task.sleep(for: .milliseconds(50))
    task.cancel()
    let result = await task.result
    #expect { try result.get() } throws: { ($0 as? ModelError)?.reason == .cancelled }
  }

  /// `TENSORIO_MUTANTS=all` tests 2000 of each model, by default 50.
  @Test(
    .hangGuard(isLong: MutantTests.testsAll), arguments: ["convolution", "recurrent", "shapes"])
  func `No damaged model crashes this process or takes long`(_ name: String) throws {
    let original = [UInt8](try Data(contentsOf: URL(filePath: Self.file(name).path)))
    let binding = try Self.binding(name)
    let isolated = IsolatedBackend(
      .onnxRuntime, isolation: Isolation(timeout: .milliseconds(1500), maxCrashes: .max))
    let folder = try TemporaryFolder()
    var codes: [String: Int] = [:]
    for seed in stride(from: 0, to: 2000, by: MutantTests.testsAll ? 1 : 40) {
      let bytes = Mutation.random(UInt64(seed)).apply(to: original)
      let file = ModelFile(path: try folder.write(bytes, to: "m.onnx"), name: "m.onnx")
      var code: String?
      let time = ThreadTime.measure {
        code = failure { _ = try Self.run(file, binding, on: isolated) }?.code
      }
      #expect(time < .seconds(5), "seed \(seed)")
      codes[code ?? "succeeded", default: 0] += 1
    }
    print("damaged \(name): \(codes)")
    #expect(codes.values.reduce(0, +) == (MutantTests.testsAll ? 2000 : 50))
  }
}
