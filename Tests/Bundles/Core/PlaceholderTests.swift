import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// y = x · rate, or y = -1 without a rate.
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

  @Test func `A placeholder is passed separately, among the inputs, or has its default`()
    async throws
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

  @Test func `A placeholder is the same for all items of a batch`() async throws {
    let model = try Self.bundle().open(Self.scaling)
    let expected: [Double] = [3, 6, 9]
    let outputs = try model.run(batch: [1, 2, 3], placeholders: ["rate": 3])
    #expect(try outputs.map { try $0.value(as: Double.self) } == expected)
    #expect(try await model.submit(batch: [1, 2, 3], placeholders: ["rate": 3]) == outputs)
    #expect(try model.run(batch: [2]).map { try $0.value(as: Double.self) } == [1])
  }

  @Test func `A placeholder without a value or default is not filled`() throws {
    let model = try Self.bundle(value: "").open(Self.scaling)
    #expect(try model.run(4, placeholders: ["rate": 3]).value(as: Double.self) == 12)
    #expect(try model.run(4).value(as: Double.self) == -1)
  }

  @Test func `Placeholders of a failed run are not used by the next run`() throws {
    let x = TensorInfo(name: "x", elementType: .float32, shape: [-1, 1])
    let placeholders = ["rate", "offset"].map {
      TensorInfo(name: $0, elementType: .float32, shape: [-1])
    }
    let fake = FakeModel(inputs: [x], placeholders: placeholders, outputs: [x]) { tensors in
      let rate = tensors[1].elements(of: Float.self).first ?? 1
      return [tensors[0].elements(of: Float.self).map { $0 * rate }.rawBytes]
    }
    let layers = ["rate", "offset"].map { #"{"name": "\#($0)", "type": "scalar", "shape": [1]}"# }
    let bundle = try TestBundle(
      inputs: #"{"name": "x", "type": "array", "shape": [-1,1]}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [-1,1]}"#,
      extra: #""placeholders": [\#(layers.joined(separator: ", "))]"#)
    let model = try bundle.open(fake)
    #expect(throws: ModelError.self) {
      try model.run(4, placeholders: ["rate": 3, "offset": [1, 2]])
    }
    #expect(try model.run(4).value(as: Double.self) == 4)
  }

  @Test func `An unknown placeholder is an error that lists the placeholders`() throws {
    let model = try Self.bundle().open(Self.scaling)
    let error = ModelError(.input, .unknownPlaceholder("rat", known: ["rate"]))
    #expect(throws: error) { try model.run(4, placeholders: ["rat": 3]) }
    #expect("\(error)" == "unknown placeholder 'rat'; placeholders: 'rate'")
    #expect(throws: ModelError(.input, .wrongCount(expected: 1, actual: 2), layer: "rate")) {
      try model.run(4, placeholders: ["rate": [1, 2]])
    }
    #expect(throws: ModelError.self) { try model.run(["x": 4, "rat": 10]) }
  }

  @Test func `A runtime without placeholders warns and rejects a value`() throws {
    let tensor = TensorInfo(name: "x", elementType: .float32, shape: [-1, 1])
    let model = try Self.bundle().open(.identity(tensor))
    #expect(model.warnings.map(\.code) == ["nonstandard-placeholders", "no-placeholders"])
    #expect(model.warnings.last?.path == "/placeholders")
    #expect(try model.run(4).value(as: Double.self) == 4)
    #expect(
      throws: ModelError(.input, .unsupported("a placeholder in this runtime"), layer: "rate")
    ) { try model.run(4, placeholders: ["rate": 3]) }
  }
}
