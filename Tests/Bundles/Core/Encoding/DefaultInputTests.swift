import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct DefaultInputTests {
  /// A model that returns its input `x` and adds the first element of `rate`.
  private func model(_ rate: String, extra: String = "") throws -> Model {
    let float = TensorInfo(name: "t", elementType: .float32, shape: [2])
    let rateTensor = TensorInfo(name: "r", elementType: .int64, shape: [1])
    let fake = FakeModel(inputs: [float, rateTensor], outputs: [float]) { inputs in
      let rate = inputs[1].elements(of: Int64.self)[0]
      return [inputs[0].elements(of: Float.self).map { $0 + Float(rate) }.rawBytes]
    }
    return try TestBundle(
      inputs: """
        {"name": "x", "type": "array", "shape": [2]},
        {"name": "rate", "type": "array", "shape": [1], "dtype": "int64"\(rate)}
        """, extra: extra
    ).open(fake)
  }

  @Test(arguments: [#", "value": 16000"#, #", "value": [16000]"#])
  func `An input with a value need not be passed`(_ value: String) async throws {
    let model = try model(value)
    #expect(model.callerInputs.map(\.name) == ["x"])
    let expected: [Float] = [16001, 16002]
    #expect(try model.run([1, 2] as [Float]).value(as: [Float].self) == expected)
    #expect(try model.run(["x": [1, 2] as [Float]]).value(as: [Float].self) == expected)
    #expect(try await model.submit([1, 2] as [Float]).value(as: [Float].self) == expected)
    let batch = try model.run(batch: [[1, 2], [3, 4]] as [[Float]])
    #expect(try batch[1].value(as: [Float].self) == [16003, 16004])
  }

  /// Returns the description of an input with a value.
  private func description(_ shape: String, _ value: String) throws -> ModelDescription {
    try TestBundle(
      inputs: #"{"name": "mask", "type": "array", "shape": \#(shape), "value": \#(value)}"#,
      outputs: #"{"name": "y", "type": "array", "shape": [1]}"#
    ).read().description
  }

  @Test func `A single number is the value of each element, of a bounded number of them`() throws {
    let filled = try description("[-1, 4, 8]", "1")
    #expect(filled.inputs[0].defaultValue == [Double](repeating: 1, count: 32))
    #expect(String(decoding: filled.json, as: UTF8.self).contains("\"value\": 1"))
    #expect(try ModelDescription(json: filled.json) == filled)
    let list = try description("[2, 2]", "[1, 1, 1, 1]")
    #expect(try ModelDescription(json: list.json) == list)
    // A short description cannot claim gigabytes.
    #expect(throws: ModelError.self) { try description("[30000, 30000]", "1") }
    #expect(throws: ModelError.self) { try description("[2, 2]", "[1]") }
  }

  @Test func `A value that is passed takes precedence`() throws {
    let model = try model(#", "value": 16000"#)
    let input: [String: any LayerValueConvertible] = ["x": [1, 2] as [Float], "rate": 8000]
    let output = try model.run(.named(input.mapValues(\.layerValue)))
    #expect(try output.value(as: [Float].self) == [8001, 8002])
  }

  @Test func `An input without a value has to be passed`() throws {
    let model = try model("")
    #expect(model.callerInputs.map(\.name) == ["x", "rate"])
    #expect(throws: ModelError.self) { try model.run(["x": [1, 2] as [Float]]) }
  }
}
