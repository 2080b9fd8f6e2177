import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// Layers in which each value determines a length.
@Suite struct VariableLengthTests {
  private func bundle(_ shape: String) throws -> TestBundle {
    try BatchTests.bundle(shape)
  }

  /// Returns a value of floats with a shape.
  private static func numbers(_ shape: [Int]) -> LayerValue {
    let count = shape.reduce(1, *)
    return .numbers(Numbers(.floats((0..<count).map { Float($0) }), shape: shape))
  }

  struct Case: CustomTestStringConvertible {
    let declared: TensorShape
    let tensor: TensorShape
    let value: [Int]
    /// The shape of the run; `nil` if the value is rejected.
    let shape: [Int]?
    var testDescription: String { "\(value) for \(declared) over \(tensor)" }
  }

  static let cases = [
    Case(declared: [-1, -1], tensor: [-1, -1], value: [7], shape: [1, 7]),
    Case(declared: [-1, -1], tensor: [-1, -1], value: [1, 7], shape: [1, 7]),
    Case(declared: [-1, -1], tensor: [-1, -1], value: [1, 1, 7], shape: [1, 7]),
    Case(declared: [-1, -1], tensor: [-1, -1], value: [], shape: [1, 1]),
    Case(declared: [-1, -1], tensor: [-1, -1], value: [2, 7], shape: nil),
    Case(declared: [-1, -1], tensor: [-1, -1], value: [0], shape: nil),
    Case(declared: [1, -1], tensor: [1, -1], value: [3], shape: [1, 3]),
    Case(declared: [1, -1], tensor: [-1], value: [3], shape: [3]),
    Case(declared: [-1, -1, 4], tensor: [-1, -1, 4], value: [3, 4], shape: [1, 3, 4]),
    Case(declared: [-1, -1, 4], tensor: [-1, -1, 4], value: [1, 3, 4], shape: [1, 3, 4]),
    Case(declared: [-1, -1, 4], tensor: [-1, -1, 4], value: [12], shape: [1, 3, 4]),
    Case(declared: [-1, -1, 4], tensor: [-1, -1, 4], value: [13], shape: nil),
    Case(declared: [-1, -1, 4], tensor: [-1, -1, 4], value: [4, 3], shape: nil),
    Case(declared: [-1, -1, -1], tensor: [-1, -1, -1], value: [2, 3], shape: [1, 2, 3]),
    Case(declared: [-1, -1, -1], tensor: [-1, -1, -1], value: [6], shape: nil),
    Case(declared: [4, -1], tensor: [4, -1], value: [4, 2], shape: [4, 2]),
    Case(declared: [-1, 4], tensor: [-1, -1, 4], value: [4], shape: [1, 1, 4]),
    Case(declared: [-1, 1], tensor: [-1, -1], value: [1], shape: [1, 1]),
    Case(declared: [-1, 1], tensor: [-1, -1], value: [2], shape: nil),
  ]

  @Test(arguments: cases)
  func `A value determines the lengths that layer and tensor leave open`(_ each: Case) throws {
    let model = try bundle("\(each.declared)").open(Self.identity(each.tensor))
    let input = ModelInput.value(Self.numbers(each.value))
    guard let shape = each.shape else {
      let error = #expect(throws: ModelError.self) { try model.run(input) }
      #expect(error?.stage == .input && error?.layer == "x")
      return
    }
    let output = try #require(try model.run(input)["y"].numbers)
    #expect(output.shape == shape)
    #expect(output.doubles == (0..<output.count).map { Double($0) })
  }

  private static func identity(_ shape: TensorShape, _ type: ElementType = .float32) -> FakeModel {
    .identity(TensorInfo(name: "t", elementType: type, shape: shape))
  }

  @Test func `A rejected shape names the declared one`() throws {
    let model = try bundle("[-1,-1,4]").open(Self.identity([-1, -1, 4]))
    #expect(
      throws: ModelError(
        .input, .wrongShape(expected: "[-1,-1,4]", actual: "[3, 5]"), layer: "x")
    ) { try model.run(.value(Self.numbers([3, 5]))) }
    #expect(
      throws: ModelError(
        .input, .wrongType(expected: "values of the shape [-1,-1,4]", actual: "a string"),
        layer: "x")
    ) { try model.run("text") }
  }

  @Test func `Raw bytes determine a length`() throws {
    let model = try bundle("[-1,-1]").open(Self.identity([-1, -1], .int16))
    let value = LayerValue.bytes(([1, 2, 3] as [Int16]).rawBytes)
    #expect(try model.run(.value(value))["y"].numbers?.integers == [1, 2, 3])
    let error = #expect(throws: ModelError.self) { try model.run(.value(.bytes([1, 2, 3]))) }
    #expect(error?.reason == .wrongType(expected: "a multiple of 2 bytes", actual: "3 bytes"))
    let layer = #"{"name": "x", "type": "string", "shape": [-1,-1], "dtype": "int16"}"#
    let bytes = try TestBundle(inputs: layer, outputs: layer.replacing("\"x\"", with: "\"y\""))
      .open(Self.identity([-1, -1], .int16))
    #expect(try bytes.run(.value(value))["y"] == value)
  }

  @Test func `Lengths may change from run to run, also between arrays of floats`() throws {
    let runs = Counter()
    let model = try bundle("[-1,-1]").open(BatchTests.line([-1, -1], runs: runs))
    for count in [3, 1, 8, 2] {
      let values = (0..<count).map { Float($0) }
      var floats = [Float](repeating: 0, count: count)
      try model.run(values, into: &floats)
      #expect(floats == values.map { 10 * $0 + 5 })
      #expect(try [Float](model.run(values)["y"]) == floats)
    }
  }

  @Test func `Items of equal lengths run together, and outputs are in the order of the items`()
    async throws
  {
    let runs = Counter()
    let model = try bundle("[-1,-1]").open(BatchTests.line([-1, -1], runs: runs))
    let items: [[Float]] = [[1, 2], [3, 4], [5, 6, 7], [8], [9], [1, 2]]
    let singles = try items.map { try model.run($0) }
    #expect(runs.value == 6)
    #expect(try model.run(batch: items) == singles)
    #expect(runs.value == 9)
    #expect(try await model.submit(batch: items) == singles)
    #expect(try model.run(batch: [[Float]]()).isEmpty)
    let error = #expect(throws: ModelError.self) { try model.run(batch: [[1], [], [2]]) }
    #expect(error?.item == 1)
    // The item of an error is one of all items, not of those that ran together.
    let failing = try bundle("[-1,-1]").open(
      FakeModel(
        inputs: [TensorInfo(name: "x", elementType: .float32, shape: [-1, -1])],
        outputs: [TensorInfo(name: "y", elementType: .float32, shape: [-1, -1])]
      ) { inputs throws(ModelError) in
        guard inputs[0].count == 4 else { return inputs }
        throw ModelError(.run, .failed("x")).at(item: 0)
      })
    let failure = #expect(throws: ModelError.self) {
      try failing.run(batch: [[1, 2], [3, 4], [5], [6, 7]] as [[Float]])
    }
    #expect(failure?.item == 2)
  }

  @Test func `Items of several inputs run together if all lengths are equal`() throws {
    let runs = Counter()
    let tensors = ["a", "b"].map { TensorInfo(name: $0, elementType: .float32, shape: [-1, -1]) }
    let fake = FakeModel(inputs: tensors, outputs: [tensors[0]]) { inputs in
      runs.increment()
      return [inputs[0]]
    }
    let model = try TestBundle(
      inputs: ["a", "b"].map { #"{"name": "\#($0)", "type": "array", "shape": [-1,-1]}"# }
        .joined(separator: ","),
      outputs: #"{"name": "y", "type": "array", "shape": [-1,-1]}"#
    ).open(fake)
    let items: [ModelInput] = [
      ["a": [1, 2], "b": [3, 4]], ["a": [5, 6], "b": [7, 8]], ["a": [5, 6], "b": [7]],
    ]
    #expect(
      try model.run(batch: items).map { try [Float]($0["y"]) } == [[1, 2], [5, 6], [5, 6]])
    #expect(runs.value == 2)
  }

  @Test func `A length without a batch is not taken for one`() throws {
    let runs = Counter()
    let model = try bundle("[1,-1]").open(BatchTests.line([-1], runs: runs))
    let outputs = try model.run(batch: [[1, 2], [3, 4]])
    #expect(runs.value == 2 && !model.supportsBatching)
    #expect(try outputs.map { try [Float]($0["y"]) } == [[15, 25], [35, 45]])
  }

  @Test func `A batch for training needs equal lengths`() throws {
    let model = try bundle("[-1,-1]").open(BatchTests.line([-1, -1], runs: Counter()))
    let batch = try Batch([["x": [1, 2]], ["x": [3, 4]]])
    guard case .list(let rows) = try model.evaluate(batch)["y"] else {
      Issue.record("not a list with a value per item")
      return
    }
    #expect(rows.map(\.numbers?.doubles) == [[15, 25], [35, 45]])
    let uneven = try Batch([["x": [1, 2]], ["x": [3]]])
    let error = #expect(throws: ModelError.self) { try model.evaluate(uneven) }
    #expect(error?.item == 1)
    #expect(error?.reason == .wrongShape(expected: "[1, 2]", actual: "[1, 1]"))
  }

  @Test func `Strings determine a length`() throws {
    let tensor = TensorInfo(name: "t", elementType: .string, shape: [-1, -1])
    let encoder = LayerEncoder(
      Layer(name: "x", kind: .array(NumericLayer(shape: [-1, -1]))), tensor: tensor)
    let values: [(LayerValue, [Int])] = [
      (.strings(["a", "b", "c"]), [1, 3]), (.strings(["a"]), [1, 1]),
      (.list([.strings(["a", "b"])]), [1, 2]), (.bytes([65]), [1, 1]),
    ]
    for (value, shape) in values {
      let fitted = try encoder.fitted(to: value)
      #expect(fitted.shape == shape)
      #expect(try fitted.strings(of: value).count == shape[1])
    }
    let ragged = LayerValue.list([.strings(["a", "b"]), .strings(["c", "d", "e"])])
    #expect(throws: ModelError.self) { try encoder.fitted(to: ragged) }
  }

  @Test func `Rows of an array are items of a layer with a variable length`() {
    let layer = Layer(name: "x", kind: .array(NumericLayer(shape: [-1, -1])))
    let rows = Numbers(.integers([1, 2, 3, 4, 5, 6]), shape: [2, 3]).items(of: layer)
    #expect(rows?.map(\.integers) == [[1, 2, 3], [4, 5, 6]])
    #expect(Numbers(.integers([1, 2, 3])).items(of: layer) == nil)
    #expect(Numbers(.integers([1, 2, 3]), shape: [1, 3]).items(of: layer) == nil)
    #expect(layer.elementCount == nil)
  }

  @Test func `A layer and a tensor with a fixed length do not fit`() {
    let layer = Layer(name: "x", kind: .array(NumericLayer(shape: [-1, -1])))
    #expect(layer.itemShape(fitting: [-1, 5]) == nil)
    #expect(layer.itemShape(fitting: [-1, -1]) == [1, 1])
    #expect(layer.itemShape(fitting: [1, 5]) == nil)
  }
}
