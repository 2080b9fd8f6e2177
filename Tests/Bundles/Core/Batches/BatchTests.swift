import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct BatchTests {
  /// The test model of TensorIO for iOS, y = 10 x + 5, which counts its runs.
  static func line(_ shape: TensorShape, runs: Counter) -> FakeModel {
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: shape)
    return FakeModel(inputs: [tensor], outputs: [tensor]) { inputs in
      runs.increment()
      return [inputs[0].elements(of: Float.self).map { 10 * $0 + 5 }.rawBytes]
    }
  }

  static func bundle(_ shape: String, output: String? = nil) throws -> TestBundle {
    try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": \#(shape)}"#,
      outputs: #"{"name": "y", "type": "array", "shape": \#(output ?? shape)}"#)
  }

  struct Case: CustomTestStringConvertible {
    let declared: String
    let tensor: TensorShape
    /// The number of runs for three items.
    let runs: Int
    var testDescription: String { "\(declared) over \(tensor)" }
  }

  static let cases = [
    Case(declared: "[-1,1]", tensor: [-1, 1], runs: 1),
    Case(declared: "[-1]", tensor: [-1], runs: 1),
    Case(declared: "[-1,1]", tensor: [-1], runs: 1),
    Case(declared: "[1]", tensor: [-1, 1], runs: 3),
    Case(declared: "[1]", tensor: [1], runs: 3),
    Case(declared: "[-1,1]", tensor: [1, 1], runs: 3),
    Case(declared: "[2,1]", tensor: [2, 1], runs: 2),
    Case(declared: "[5,1]", tensor: [5, 1], runs: 1),
  ]

  @Test(arguments: cases)
  func `Batched items have the same outputs as single runs`(_ each: Case) async throws {
    let runs = Counter()
    let model = try Self.bundle(each.declared).open(Self.line(each.tensor, runs: runs))
    let outputs = try model.run(batch: [2, 4, -1])
    #expect(runs.value == each.runs)
    #expect(try outputs.map { try Double($0["y"]) } == [25, 45, -5])
    #expect(try await model.submit(batch: [2, 4, -1]) == outputs)
    #expect(try model.run(batch: [["x": 2], ["x": 4], ["x": -1]]) == outputs)
    #expect(try model.run(batch: [2, 4, -1] as [Float]) == outputs)
    var timings = Timings()
    #expect(try model.run(batch: [2, 4, -1], timings: &timings) == outputs)
    #expect(timings.total >= timings.run && timings.run > .zero)
  }

  @Test func `Single runs and batches of all sizes can be mixed`() throws {
    let runs = Counter()
    let model = try Self.bundle("[-1,2]").open(Self.line([-1, 2], runs: runs))
    let single = try model.run([1, 2])
    for count in [3, 1, 0, 17, 2] {
      let items = Array(repeating: [1, 2], count: count)
      #expect(try model.run(batch: items) == Array(repeating: single, count: count))
      #expect(try model.run([1, 2]) == single)
      var floats: [Float] = [0, 0]
      try model.run([1, 2], into: &floats)
      #expect(floats == [15, 25])
    }
    #expect(runs.value == 1 + 4 + 5 + 5)
  }

  @Test func `The total time of a batch is not counted once per item`() throws {
    let clock = ContinuousClock()
    for shape in [[-1, 2], [1, 2]] {
      let tensor = TensorShape(signedDimensions: shape)
      let model = try Self.bundle("\(shape)").open(Self.line(tensor, runs: Counter()))
      var timings = Timings()
      let duration = try clock.measure {
        _ = try model.run(batch: Array(repeating: [1, 2], count: 500), timings: &timings)
      }
      #expect(timings.total > .zero && timings.total <= duration)
    }
  }

  @Test func `An empty batch does not run the model`() throws {
    let runs = Counter()
    for shape in ["[-1,2]", "[2]"] {
      let tensor = TensorShape(signedDimensions: shape == "[2]" ? [2] : [-1, 2])
      let model = try Self.bundle(shape).open(Self.line(tensor, runs: runs))
      #expect(try model.run(batch: [[Float]]()).isEmpty)
    }
    #expect(runs.value == 0)
  }

  @Test(arguments: ["[-1,2]", "[2]", "[3,2]"])
  func `An invalid item is reported with its index`(_ shape: String) async throws {
    let axes = shape.dropFirst().dropLast().split(separator: ",").compactMap { Int($0) }
    let model = try Self.bundle(shape).open(
      Self.line(TensorShape(signedDimensions: axes), runs: Counter()))
    let items: [ModelInput] = [[1, 2], [1, 2], [3, 4], [1, 2, 3]]
    let expected = ModelError(.input, .wrongCount(expected: 2, actual: 3), layer: "x").at(item: 3)
    guard shape != "[3,2]" else {
      // Not all items are rows, so all are read as complete tensors, and the first one is too
      // small.
      let countError = ModelError(.input, .wrongCount(expected: 6, actual: 2), layer: "x").at(
        item: 0)
      #expect(throws: countError) { try model.run(batch: items) }
      return
    }
    #expect(throws: expected) { try model.run(batch: items) }
    await #expect(throws: expected) { try await model.submit(batch: items) }
    #expect("\(expected)" == "item 4: layer 'x': expected 2 values, got 3")
    let named: [ModelInput] = [["x": [1, 2]], ["z": [1, 2]]]
    let error = #expect(throws: ModelError.self) { try model.run(batch: named) }
    #expect(error?.item == 1 && error?.code == "input-names")
  }

  @Test func `A fixed batch also accepts complete tensors, recognized by their count`() throws {
    let runs = Counter()
    let model = try Self.bundle("[2,2]").open(Self.line([2, 2], runs: runs))
    let wholes = try model.run(batch: [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] as [[[Float]]])
    #expect(runs.value == 2)
    #expect(try wholes.map { try [Float]($0["y"]) } == [[15, 25, 35, 45], [55, 65, 75, 85]])
    let rows = try model.run(batch: [[1, 2], [3, 4], [5, 6]])
    #expect(runs.value == 4)
    #expect(try rows.map { try [Float]($0["y"]) } == [[15, 25], [35, 45], [55, 65]])
  }

  @Test func `A matrix is one item if the output has no matching rows`() throws {
    let runs = Counter()
    let input = TensorInfo(name: "t", elementType: .float32, shape: [2, 2])
    let output = TensorInfo(name: "t", elementType: .float32, shape: [1])
    let fake = FakeModel(inputs: [input], outputs: [output]) { inputs in
      runs.increment()
      return [[inputs[0].elements(of: Float.self).reduce(0, +)].rawBytes]
    }
    let model = try Self.bundle("[2,2]", output: "[1]").open(fake)
    let outputs = try model.run(batch: [[[1, 2], [3, 4]], [[5, 6], [7, 8]]] as [[[Float]]])
    #expect(try outputs.map { try Double($0["y"]) } == [10, 26])
    #expect(throws: ModelError.self) { try model.run(batch: [[1, 2], [3, 4]]) }
  }

  @Test func `An output without the batch dimension is an error`() throws {
    let tensor = TensorInfo(name: "t", elementType: .float32, shape: [-1, 2])
    var fake = FakeModel.identity(tensor)
    fake.outputShapes = [[1, 2]]
    let model = try Self.bundle("[-1,2]").open(fake)
    #expect(
      throws: ModelError(
        .output, .wrongShape(expected: "2 rows", actual: "[1, 2]"), layer: "y")
    ) { try model.run(batch: [[1, 2], [3, 4]]) }
  }

  @Test func `A placeholder returns an empty output for each item`() async throws {
    let expectedError = ModelError(.runtime, .modelRejected(detail: "never asked"))
    let model = try TestBundle(isPlaceholder: true).open(
      on: FakeBackend(failingWith: expectedError))
    #expect(try model.run(batch: [1, 2]) == [.empty, .empty])
    #expect(try await model.submit(batch: [1, 2, 3]) == [.empty, .empty, .empty])
  }
}
