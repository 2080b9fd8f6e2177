import Foundation
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOLiteRT

/// Waits until its run is canceled, at most a minute, unless the first number of its input is 0.
private struct Waiter: CustomOperator {
  static let name = "Waiter"

  init(_ node: CustomOperatorNode) {}

  func outputShapes(forInputs shapes: [[Int]]) -> [[Int]] { shapes }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let numbers = try call.elements(ofInput: 0, as: Float.self)
    var rest = 60_000
    while numbers[0] != 0, !call.isCancelled, rest > 0 {
      usleep(1000)
      rest -= 1
    }
    try call.write(numbers, toOutput: 0)
  }
}

@Suite struct CancellationTests {
  /// A model that never ends: `while true { x += (1, 2, 3, 4) }`.
  private static let endless = ModelSketch().changed { sketch in
    sketch.kinds = [ModelSketch.Kind.add, ModelSketch.Kind.loop]
    let body = sketch.graphs[0]
    var condition = GraphSketch()
    var isTrue = TensorSketch("true", [1], buffer: 2)
    isTrue.type = 6
    condition.tensors = [TensorSketch("x", [1, 4]), isTrue]
    condition.outputs = [1]
    condition.operators = []
    sketch.graphs[0].tensors = [TensorSketch("x", [1, 4]), TensorSketch("y", [1, 4])]
    sketch.graphs[0].outputs = [1]
    var loop = OperatorSketch(kind: 1, inputs: [0], outputs: [1])
    loop.take([0: .integer(1), 1: .integer(2)], form: 93)
    sketch.graphs[0].operators = [loop]
    sketch.graphs += [condition, body]
    sketch.buffers[2] = .table([0: .bytes([1])])
  }

  /// A model with the operator `Waiter`.
  private static let waiting = ModelSketch().changed { sketch in
    sketch.customNames = [Waiter.name]
    sketch.kinds = [ModelSketch.Kind.custom]
    sketch.graphs[0].tensors = [TensorSketch("x", [1, 4]), TensorSketch("y", [1, 4])]
    sketch.graphs[0].outputs = [1]
    sketch.graphs[0].operators = [OperatorSketch(inputs: [0], outputs: [1])]
    sketch.graphs[0].operators[0].fields = [:]
  }

  /// A model that adds a variable to the output of the operator `Waiter`.
  private static let waitingWithVariable = HarmfulModel.variable.changed { sketch in
    sketch.customNames = [Waiter.name]
    sketch.kinds = [ModelSketch.Kind.custom] + ModelSketch.Kind.variables + [ModelSketch.Kind.add]
    sketch.graphs[0].tensors.append(TensorSketch("waited", [1, 4]))
    sketch.graphs[0].operators.removeLast()
    var waiter = OperatorSketch(inputs: [0], outputs: [5])
    waiter.fields = [:]
    sketch.graphs[0].operators += [waiter, OperatorSketch(kind: 5, inputs: [5, 4])]
    sketch.signatures = [ModelSketch.signature(inputs: [0], outputs: [2], graph: 0)]
  }

  private static func layer(_ name: String) -> String {
    #"{"name": "\#(name)", "type": "array", "shape": [4]}"#
  }

  private static var backend: LiteRTBackend {
    let registry = CustomOperatorRegistry()
    registry.register(Waiter.self)
    return LiteRTBackend(customOperators: registry)
  }

  /// Returns a bundle that is trained by the only signature of the model.
  private func trainableBundle() throws -> TestBundle {
    let (input, output) = (Self.layer("tensor 0"), Self.layer("tensor 2"))
    let bundle = try TestBundle(
      inputs: input, outputs: output, modes: #"["predict", "train"]"#,
      extra: #""train": {"ops": ["serve"], "inputs": [\#(input)], "outputs": [\#(output)]}"#)
    try bundle.write(Self.waitingWithVariable.bytes, to: "model.tflite")
    return bundle
  }

  @Test func `A time limit ends a run of a model with variables, which runs again`() throws {
    let bundle = try trainableBundle()
    let model = try Model(
      bundle.read(), on: Self.backend,
      options: OpeningOptions(mode: .train, threads: 1, runTimeout: .seconds(1)))
    let error = try #require(throws: ModelError.self) { try model.run([1, 2, 3, 4]) }
    #expect(error.reason == .runTimedOut(limit: .seconds(1)))
    let numbers: [Float] = try model.run([0, 2, 3, 4]).value()
    #expect(numbers == [1, 4, 6, 8])
  }

  @Test func `A session of a model with variables has all abilities of other sessions`() throws {
    let bundle = try trainableBundle()
    let names = try [ModelMode.predict, .train].map { mode in
      try bundle.read().load(for: mode, on: Self.backend).makeSession(SessionOptions()).abilities
        .names
    }
    #expect(names == [["setCancelled"], ["setCancelled", "discardInputs", "train"]])
  }

  private func model(_ sketch: ModelSketch, runTimeout: Duration?) throws -> Model {
    let bundle = try TestBundle(inputs: Self.layer("x"), outputs: Self.layer("y"))
    try bundle.write(sketch.bytes, to: "model.tflite")
    return try Model(
      bundle.read(), on: Self.backend,
      options: OpeningOptions(threads: 1, runTimeout: runTimeout))
  }

  @Test func `A run that exceeds its time limit ends with an error`() throws {
    let model = try model(Self.endless, runTimeout: .milliseconds(50))
    for _ in 0..<2 {
      let error = try #require(throws: ModelError.self) { try model.run([1, 2, 3, 4]) }
      #expect(error.reason == .runTimedOut(limit: .milliseconds(50)))
      #expect(error.code == "run-timed-out")
    }
  }

  @Test func `A custom operator sees that the time is over, and the session runs again`() throws {
    let model = try model(Self.waiting, runTimeout: .seconds(2))
    let error = try #require(throws: ModelError.self) { try model.run([1, 2, 3, 4]) }
    #expect(error.code == "run-timed-out")
    let numbers: [Float] = try model.run([0, 2, 3, 4]).value()
    #expect(numbers == [0, 2, 3, 4])
  }

  @Test func `Canceling a task ends its run, and the session runs again`() async throws {
    let model = try model(Self.waiting, runTimeout: nil)
    let task = Task { try await model.submit([1, 2, 3, 4]) }
    task.cancel()
    let result = await task.result
    #expect { try result.get() } throws: { ($0 as? ModelError)?.reason == .cancelled }
    let numbers: [Float] = try await model.submit([0, 2, 3, 4]).value()
    #expect(numbers == [0, 2, 3, 4])
  }

  @Test func `A session that is canceled fails its runs until it is reset`() throws {
    let session = try LiteRTBackend().model(bytes: ModelSketch().bytes)
      .makeSession(SessionOptions())
    session.abilities.setCancelled?(true)
    let error = try #require(throws: ModelError.self) { try session.run([1, 1, 1, 1] as [Float]) }
    #expect(error.reason == .cancelled)
    session.abilities.setCancelled?(false)
    #expect(try session.run([1, 1, 1, 1] as [Float]) == [2, 3, 4, 5])
  }
}
