import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

/// A runtime may provide less memory than expected; nothing may be written beyond its end.
@Suite struct TensorMemoryTests {
  static let layers: [(roundTrip: LayerRoundTrip, value: LayerValue)] = [
    (.array([4], over: .float32), [1, 2, 3, 4].layerValue),
    (.array([4], over: .float32), ([1, 2, 3, 4] as [Float]).layerValue),
    (.array([4], over: .uint8), [1, 2, 3, 4].layerValue),
    (.image(2, 2, .gray, over: .uint8), [1, 2, 3, 4].layerValue),
  ]

  @Test(arguments: layers)
  func `Too little memory is an error of the runtime`(roundTrip: LayerRoundTrip, value: LayerValue)
    throws
  {
    let encoder = InputEncoder([roundTrip.layer], tensors: [roundTrip.tensor])
    let session = try FakeModel(
      inputs: [TensorInfo(name: "short", elementType: .uint8, shape: [3])], outputs: []
    ) { _ in [] }.makeSession(SessionOptions())
    let error = #expect(throws: ModelError.self) { try encoder.encode([value], into: session) }
    let size = try #require(roundTrip.tensor.elementType.byteCount)
    #expect(
      error
        == ModelError(.run, .wrongByteCount(expected: 4 * size, actual: 3), layer: "layer"))
  }

  @Test func `The number encoder checks the size of the memory itself`() throws {
    let encoder = NumberEncoder(
      elementType: .float32, elementCount: 2, shape: [2], quantization: .identity)
    let session = try FakeModel(
      inputs: [TensorInfo(name: "short", elementType: .uint8, shape: [7])], outputs: []
    ) { _ in [] }.makeSession(SessionOptions())
    #expect(throws: ModelError(.run, .wrongCount(expected: 2, actual: 1))) {
      try session.fill(0) { (memory) throws(ModelError) in
        try encoder.encode(.floats([1, 2]), into: &memory)
      }
    }
  }
}
