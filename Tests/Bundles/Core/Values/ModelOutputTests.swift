import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ModelOutputTests {
  private func output(_ values: (String, LayerValue)...) -> ModelOutput {
    ModelOutput(layers: values.map { ModelOutput.Layer(name: $0, value: $1) })
  }

  @Test func `A value is read by name as the requested type`() throws {
    let output = output(("price", 2.5.layerValue), ("rooms", 3.layerValue))
    #expect(try output.value(of: "price", as: Double.self) == 2.5)
    let rooms: Int = try output.value(of: "rooms")
    #expect(rooms == 3)
    #expect(
      throws: ModelError(
        .output, .wrongType(expected: "an integer", actual: "a number"), layer: "price")
    ) { try output.value(of: "price", as: Int.self) }
    #expect(throws: ModelError(.output, .unknownOutput("prize", known: ["price", "rooms"]))) {
      try output.value(of: "prize", as: Int.self)
    }
  }

  @Test func `The only value can be read without a name`() throws {
    let price: Double = try output(("price", 2.5.layerValue)).value()
    #expect(price == 2.5)
    let error = #expect(throws: ModelError.self) {
      try output(("a", 1.layerValue), ("b", 2.layerValue)).value(as: Int.self)
    }
    #expect(error?.message == "expected one output, got 2: a, b")
    #expect(throws: ModelError.self) { try ModelOutput.empty.value(as: Int.self) }
  }

  @Test func `Nested arrays have the declared rows`() throws {
    let volume = Numbers(.integers([1, 2, 3, 4, 5, 6, 7, 8]), shape: [2, 2, 2])
    let output = output(("v", .numbers(volume)), ("m", [[1.5, 2], [3, 4]].layerValue))
    #expect(try output.value(of: "m", as: [[Float]].self) == [[1.5, 2], [3, 4]])
    let cube: [[[Int]]] = try output.value(of: "v")
    #expect(cube == [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
    #expect(try output.value(of: "v", as: [[Int]].self) == [[1, 2, 3, 4], [5, 6, 7, 8]])
    #expect(throws: ModelError.self) { try output.value(of: "m", as: [[[Float]]].self) }
    #expect(throws: ModelError.self) { try [[Int]](1.layerValue) }
    #expect(throws: ModelError.self) { try [[Int]]([1, 2].layerValue) }
  }
}
