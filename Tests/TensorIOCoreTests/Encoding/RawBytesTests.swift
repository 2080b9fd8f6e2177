import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct RawBytesTests {
  @Test func `raw bytes are the tensor's own elements`() throws {
    for type in ElementType.allCases {
      guard let size = type.byteCount else { continue }
      let bytes = (0..<UInt8(3 * size)).map { type == .bool ? $0 % 2 : $0 }
      #expect(try LayerTrip.array([3], over: type).encoded(.bytes(bytes)) == bytes)
      #expect(
        LayerTrip.array([3], over: type).refusal(of: .bytes(bytes + [0]))?.reason
          == .wrongByteCount(expected: 3 * size, actual: 3 * size + 1))
    }
  }

  @Test func `raw bytes are floats where the layer quantizes`() throws {
    let trip = LayerTrip.array([3], over: .uint8, quantize: .standard(.zeroToOne))
    let floats: [Float] = [0, 0.5, 1]
    #expect(try trip.encoded(.bytes(floats.rawBytes)) == [0, 127, 255])
    #expect(
      trip.refusal(of: .bytes([0, 127, 255]))?.reason == .wrongByteCount(expected: 12, actual: 3))
  }

  @Test func `a quantize that does nothing leaves raw bytes as they are`() throws {
    let trip = LayerTrip.array([2], over: .float32, quantize: .standard(.zeroToOne))
    let floats: [Float] = [0.5, -3]
    #expect(try trip.encoded(.bytes(floats.rawBytes)) == floats.rawBytes)
  }

  @Test func `a string layer passes bytes on, in and out`() throws {
    let layer = Layer(
      name: "layer", kind: .string(StringLayer(shape: [4], elementType: .uint8)))
    let trip = LayerTrip(
      layer, over: TensorInfo(name: "tensor", elementType: .uint8, shape: [1, 4]))
    #expect(try trip.encoded(.bytes([9, 8, 7, 6])) == [9, 8, 7, 6])
    #expect(try trip.encoded("abcd".layerValue) == Array("abcd".utf8))
    #expect(try trip.decoded([9, 8, 7, 6]) == .bytes([9, 8, 7, 6]))
    #expect(trip.refusal(of: "abc".layerValue)?.reason == .wrongByteCount(expected: 4, actual: 3))
    #expect(
      trip.refusal(of: [1, 2, 3, 4].layerValue)
        == ModelError(.input, .wrongType(expected: "bytes", actual: "4 numbers"), layer: "layer"))
  }

  @Test func `a tensor of strings takes texts and counts them`() throws {
    let trip = LayerTrip.array([2], over: .string)
    #expect(try trip.encoded(["ab", "c"].layerValue) == Array("abc".utf8))
    #expect(
      trip.refusal(of: "ab".layerValue)
        == ModelError(.input, .wrongCount(expected: 2, actual: 1), layer: "layer"))
  }
}
