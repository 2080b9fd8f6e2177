import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

/// y = x · rate, or y = -1 where no rate is given.
@Suite struct PlaceholderTests {
  static let scaling: FakeModel = {
    let x = TensorInfo(name: "x", elementType: .float32, shape: [-1, 1])
    let rate = TensorInfo(name: "rate", elementType: .float32, shape: [-1])
    return FakeModel(inputs: [x], placeholders: [rate], outputs: [x]) { tensors in
      guard let rate = tensors[1].elements(of: Float.self).first else {
        return [tensors[0].elements(of: Float.self).map { _ in Float(-1) }.rawBytes]
      }
      return [tensors[0].elements(of: Float.self).map { $0 * rate }.rawBytes]
    }
  }()

  static func bundle(value: String = #", "value": 0.5"#) throws -> TestBundle {
    try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,1]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,1]}"#,
      extra: #""placeholders": [{"name": "rate", "type": "scalar", "shape": [1]\#(value)}]"#)
  }

  @Test func `a placeholder is given, stands among the inputs, or has its own value`() async throws
  {
    let model = try Self.bundle().open(Self.scaling)
    func number(_ output: ModelOutput) throws -> Double { try output.value(of: "y") }
    #expect(try number(model.run(4)) == 2)
    #expect(try number(model.run(4, placeholders: ["rate": 3])) == 12)
    #expect(try number(model.run(["x": 4, "rate": 10])) == 40)
    #expect(try number(model.run(["x": 4, "rate": 10], placeholders: ["rate": 2])) == 8)
    #expect(try number(await model.submit(4, placeholders: ["rate": 3])) == 12)
    #expect(try number(model.run(4)) == 2)
    var floats: [Float] = [0]
    try model.run([4], into: &floats)
    #expect(floats == [2])
  }

  @Test func `it is the same for all items of a batch`() async throws {
    let model = try Self.bundle().open(Self.scaling)
    let expected: [Double] = [3, 6, 9]
    let outputs = try model.run(batch: [1, 2, 3], placeholders: ["rate": 3])
    #expect(try outputs.map { try $0.value(as: Double.self) } == expected)
    #expect(try await model.submit(batch: [1, 2, 3], placeholders: ["rate": 3]) == outputs)
    #expect(try model.run(batch: [2]).map { try $0.value(as: Double.self) } == [1])
  }

  @Test func `one that nobody gives is left to the model`() throws {
    let model = try Self.bundle(value: "").open(Self.scaling)
    #expect(try model.run(4, placeholders: ["rate": 3]).value(as: Double.self) == 12)
    #expect(try model.run(4).value(as: Double.self) == -1)
  }

  @Test func `an unknown one is an error that lists those that there are`() throws {
    let model = try Self.bundle().open(Self.scaling)
    let error = ModelError(.input, .unknownPlaceholder("rat", known: ["rate"]))
    #expect(throws: error) { try model.run(4, placeholders: ["rat": 3]) }
    #expect("\(error)" == "there is no placeholder 'rat'; there are 'rate'")
    #expect(throws: ModelError(.input, .wrongCount(expected: 1, actual: 2), layer: "rate")) {
      try model.run(4, placeholders: ["rate": [1, 2]])
    }
    #expect(throws: ModelError.self) { try model.run(["x": 4, "rat": 10]) }
  }

  @Test func `a runtime that knows none warns, and refuses a value`() throws {
    let tensor = TensorInfo(name: "x", elementType: .float32, shape: [-1, 1])
    let model = try Self.bundle().open(.identity(tensor))
    #expect(model.warnings.map(\.code) == ["extended-placeholders", "no-placeholders"])
    #expect(model.warnings.last?.path == "/placeholders")
    #expect(try model.run(4).value(as: Double.self) == 4)
    #expect(
      throws: ModelError(.input, .unsupported("a placeholder in this runtime"), layer: "rate")
    ) { try model.run(4, placeholders: ["rate": 3]) }
  }
}
