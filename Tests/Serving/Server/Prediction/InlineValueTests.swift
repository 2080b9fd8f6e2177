import TensorIOBundle
import TensorIOCore
import Testing

@testable import TensorIOServer

/// Strings in a client's JSON.
@Suite struct InlineValueTests {
  private let layer = Layer(name: "x", kind: .array(NumericLayer(shape: TensorShape([nil, 1]))))

  @Test func `A string is a text for a tensor of strings`() throws {
    let text = try InlineValue.read("good movie", for: layer, isText: true)
    #expect(text == .strings(["good movie"]))
  }

  @Test func `A string is rejected for a tensor of numbers`() {
    let error = #expect(throws: ModelError.self) { try InlineValue.read("good movie", for: layer) }
    #expect(error?.code == "wrong-type")
  }
}
