import Synchronization
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOTasks

@Suite struct ModelStreamTests {
  /// Adds the input to the state, and fails on negative numbers.
  private let summing = FakeModel(
    inputs: [tensor("x"), tensor("before")], outputs: [tensor("sum"), tensor("after")]
  ) { inputs throws(ModelError) in
    let (new, old) = (inputs[0].values(of: Float.self), inputs[1].values(of: Float.self))
    guard new.allSatisfy({ $0 >= 0 }) else { throw ModelError(.run, .failed("below zero")) }
    let sum = zip(new, old).map { $0 + $1 }
    return [sum.rawBytes, sum.rawBytes]
  }

  private static func tensor(_ name: String) -> TensorInfo {
    TensorInfo(name: name, elementType: .float32, shape: [1, 2])
  }

  private func bundle(quantize: String = "") throws -> TestBundle {
    try TestBundle(
      inputs: """
        {"name": "x", "type": "array", "shape": [2]},
        {"name": "before", "type": "array", "shape": [2]\(quantize)}
        """,
      outputs: """
        {"name": "sum", "type": "array", "shape": [2]},
        {"name": "after", "type": "array", "shape": [2]}
        """, extra: #""state": [{"output": "after", "input": "before"}]"#)
  }

  private func sums(_ output: ModelOutput) throws -> [Float] { try output.value(of: "sum") }

  @Test func `State is carried from run to run`() throws {
    let bundle = try bundle()
    let stream = try bundle.open(summing).stream()
    #expect(try sums(stream.run([1, 2] as [Float])) == [1, 2])
    #expect(try sums(stream.run(["x": [10, 20] as [Float]])) == [11, 22])
    stream.reset()
    #expect(try sums(stream.run([1, 2] as [Float])) == [1, 2])
  }

  @Test func `State is carried through submitted runs, and a failure does not change it`()
    async throws
  {
    let bundle = try bundle()
    let stream = try bundle.open(summing).stream()
    #expect(try sums(await stream.submit([1, 2] as [Float])) == [1, 2])
    await #expect(throws: ModelError.self) { try await stream.submit([-1, 0] as [Float]) }
    #expect(try sums(await stream.submit([10, 20] as [Float])) == [11, 22])
    #expect(try sums(stream.run([0, 0] as [Float])) == [11, 22])
  }

  @Test func `A failed run does not change the state`() throws {
    let bundle = try bundle()
    let stream = try bundle.open(summing).stream()
    _ = try stream.run([1, 2] as [Float])
    #expect(throws: ModelError.self) { try stream.run([-1, 0] as [Float]) }
    #expect(try sums(stream.run([0, 0] as [Float])) == [1, 2])
  }

  @Test func `Tasks that share a stream run one after another`() async throws {
    let bundle = try bundle()
    let stream = try bundle.open(summing).stream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask { _ = try await stream.submit([1, 2] as [Float]) }
      }
      try await group.waitForAll()
    }
    #expect(try sums(stream.run([0, 0] as [Float])) == [40, 80])
    #expect(try #require(stream.state["before"]).value() == [40, 80] as [Float])
  }

  @Test func `Streams have states of their own, and take the session that the model has`() throws {
    let bundle = try bundle()
    let model = try bundle.open(summing)
    let made = summing.sessionCount.value
    let (a, b) = (model.stream(), model.stream())
    #expect(try sums(a.run([1, 2] as [Float])) == [1, 2])
    #expect(summing.sessionCount.value == made)
    #expect(try sums(b.run([10, 20] as [Float])) == [10, 20])
    #expect(try sums(a.run([1, 2] as [Float])) == [2, 4])
    // The model is not blocked by the streams.
    #expect(try sums(model.run([5, 5] as [Float])) == [5, 5])
    #expect(summing.sessionCount.value == made + 2)
  }

  private final class StreamHolder: Sendable {
    let stream = Mutex<ModelStream?>(nil)
  }

  @Test func `A reset during a run begins another sequence`() throws {
    let holder = StreamHolder()
    let model = FakeModel(
      inputs: [Self.tensor("x"), Self.tensor("before")],
      outputs: [Self.tensor("sum"), Self.tensor("after")]
    ) { inputs in
      let (new, old) = (inputs[0].values(of: Float.self), inputs[1].values(of: Float.self))
      if new[0] == 3 { holder.stream.withLock { $0 }?.reset() }
      let sum = zip(new, old).map { $0 + $1 }
      return [sum.rawBytes, sum.rawBytes]
    }
    let bundle = try bundle()
    let stream = try bundle.open(model).stream()
    holder.stream.withLock { $0 = stream }
    #expect(try sums(stream.run([1, 1] as [Float])) == [1, 1])
    #expect(try sums(stream.run([3, 3] as [Float])) == [4, 4])
    #expect(stream.state.isEmpty)
    #expect(try sums(stream.run([1, 1] as [Float])) == [1, 1])
    holder.stream.withLock { $0 = nil }
  }

  /// An application's own model that adds its input to the state.
  private struct SummingRunner: ModelRunner {
    func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      guard case .named(let values) = input else { return ModelOutput(layers: []) }
      let new: [Float] = try values["x"]?.value() ?? []
      let old: [Float] = try values["before"]?.value() ?? [0, 0]
      let sum = zip(new, old).map { $0 + $1 }
      return ModelOutput(layers: ["sum", "after"].map { .init(name: $0, value: sum.layerValue) })
    }
  }

  @Test func `A stream keeps the declared state of an application's own model`() async throws {
    let bundle = try bundle()
    let stream = Model(try bundle.read(), runner: SummingRunner()).stream()
    #expect(try sums(stream.run([1, 2] as [Float])) == [1, 2])
    #expect(try sums(await stream.submit([1, 2] as [Float])) == [2, 4])
    stream.reset()
    #expect(try sums(stream.run([1, 2] as [Float])) == [1, 2])
  }

  @Test func `A single run starts at zero unless the caller passes a state`() throws {
    let bundle = try bundle()
    let model = try bundle.open(summing)
    #expect(model.callerInputs.map(\.name) == ["x"])
    for _ in 0..<2 { #expect(try sums(model.run([1, 2] as [Float])) == [1, 2]) }
    let values: [String: [Float]] = ["x": [1, 2], "before": [5, 5]]
    #expect(try sums(model.run(values)) == [6, 7])
    #expect(throws: ModelError.self) { try model.run(["before": [5, 5] as [Float]]) }
  }

  @Test(arguments: ["", #", "quantize": {"standard": "model"}"#])
  func `A quantized state starts with the zero point`(quantize: String) throws {
    let bytes = TensorInfo(
      name: "before", elementType: .uint8, shape: [1, 2],
      quantization: TensorQuantization(scale: 0.5, zeroPoint: 128))
    let model = FakeModel(
      inputs: [Self.tensor("x"), bytes], outputs: [Self.tensor("sum"), bytes]
    ) { inputs in [inputs[1].map(Float.init).rawBytes, inputs[1]] }
    let bundle = try bundle(quantize: quantize)
    #expect(try sums(bundle.open(model).run([1, 2] as [Float])) == [128, 128])
  }
}
