import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

/// A runtime may lend less memory than it promised; nothing may be written beyond its end.
@Suite struct LentMemoryTests {
  static let layers: [(trip: LayerTrip, value: LayerValue)] = [
    (.array([4], over: .float32), [1, 2, 3, 4].layerValue),
    (.array([4], over: .float32), ([1, 2, 3, 4] as [Float]).layerValue),
    (.array([4], over: .uint8), [1, 2, 3, 4].layerValue),
    (.image(2, 2, .gray, over: .uint8), [1, 2, 3, 4].layerValue),
  ]

  @Test(arguments: layers)
  func `too little memory is an error of the runtime`(trip: LayerTrip, value: LayerValue) throws {
    let encoder = InputEncoder([trip.layer], tensors: [trip.tensor])
    let session = try FakeModel(
      inputs: [TensorInfo(name: "short", elementType: .uint8, shape: [3])], outputs: []
    ) { _ in [] }.makeSession(SessionOptions())
    let error = #expect(throws: ModelError.self) { try encoder.encode([value], into: session) }
    let size = try #require(trip.tensor.elementType.byteCount)
    #expect(
      error
        == ModelError(.run, .wrongByteCount(expected: 4 * size, actual: 3), layer: "layer"))
  }

  @Test func `numbers check the memory themselves, since a fast run comes to them directly`() throws
  {
    let encoder = NumberEncoder(elementType: .float32, elementCount: 2, shape: [2], quantization: .identity)
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
