import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// Models whose runtime keeps a state, in this process and in workers.
@Suite(.ownThreads) struct RuntimeStateTests {
  private static let isolations = [nil, Isolation(), Isolation(level: .sandbox)]

  /// Opens `history`, which adds the last three sums with the weights 100, 10 and 1.
  private func model(_ isolation: Isolation?, sessions: Int = 1) throws -> (Model, TestBundle) {
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [1, 2]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1, 1]}"#)
    let file = ProjectFiles.path("Tests/Fixtures/Models/history.tflite")
    try bundle.write(Array(Data(contentsOf: URL(filePath: file))), to: "model.tflite")
    let options = OpeningOptions(threads: 1, sessions: sessions, isolation: isolation)
    return (try Model(at: bundle.path, options: options), bundle)
  }

  private static let pairs: [[Float]] = [[1, 0], [0.5, 1.5], [1, 2]]

  @Test(arguments: isolations.indices)
  func `Runs are independent, and a stream keeps the state`(_ index: Int) async throws {
    let (model, bundle) = try model(Self.isolations[index], sessions: 2)
    withExtendedLifetime(bundle) {}
    let runs = try Self.pairs.map { try model.run($0).value(as: Float.self) }
    #expect(runs == [1, 2, 3])
    #expect(try model.run(batch: Self.pairs).map { try $0.value(as: Float.self) } == [1, 2, 3])
    for pair in Self.pairs {
      #expect(try await model.submit(pair).value(as: Float.self) == pair[0] + pair[1])
    }
    let submitted = model.stream()
    let stream = model.stream()
    let kept = try Self.pairs.map { try stream.run($0).value(as: Float.self) }
    #expect(kept == [1, 12, 123])
    for (pair, expected) in zip(Self.pairs, [1, 12, 123] as [Float]) {
      #expect(try await submitted.submit(pair).value(as: Float.self) == expected)
    }
    #expect(try model.run([5, 0] as [Float]).value(as: Float.self) == 5)
    #expect(try stream.run([0, 0] as [Float]).value(as: Float.self) == 230)
    stream.reset()
    #expect(try stream.run([4, 0] as [Float]).value(as: Float.self) == 4)
  }

  @Test(arguments: isolations.indices)
  func `Rows are independent`(_ index: Int) throws {
    let (model, bundle) = try model(Self.isolations[index])
    #expect(try sums(model, Self.pairs.flatMap(\.self)) == [1, 2, 3])
    withExtendedLifetime(bundle) {}
  }

  private func sums(_ model: Model, _ pairs: [Float]) throws(ModelError) -> [Float] {
    let count = pairs.count / 2
    // The compiler of Swift 6.3 crashes on the span of an array here.
    let memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    defer { unsafe memory.deallocate() }
    unsafe memory.initialize(repeating: 0)
    var span = unsafe memory.mutableSpan
    try model.run(rows: pairs.span, into: &span, count: count)
    return unsafe Array(memory)
  }

  @Test(arguments: isolations.indices)
  func `A worker passes on the abilities of its session`(_ index: Int) throws {
    let (_, bundle) = try model(nil)
    let backend = OpeningOptions(isolation: Self.isolations[index]).resolvedBackends
    let session = try bundle.read().load(for: .predict, on: backend.backend(for: bundle.read()))
      .makeSession(SessionOptions())
    #expect(
      session.abilities.names.subtracting(["discardInputs"]) == ["resetState", "setCancelled"])
  }

  @Test func `Many callers do not see each other's state`() async throws {
    let (model, bundle) = try model(nil, sessions: 2)
    withExtendedLifetime(bundle) {}
    try await withThrowingTaskGroup(of: Void.self) { group in
      for value in 1...40 {
        group.addTask {
          let output = try await model.submit([Float(value), 0]).value(as: Float.self)
          #expect(output == Float(value))
        }
      }
      try await group.waitForAll()
    }
  }
}
