import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct RawBytesTests {
  @Test func `Raw bytes are the tensor's own elements`() throws {
    for type in ElementType.allCases {
      guard let size = type.byteCount else { continue }
      let bytes = (0..<UInt8(3 * size)).map { type == .bool ? $0 % 2 : $0 }
      #expect(try LayerRoundTrip.array([3], over: type).encoded(.bytes(bytes)) == bytes)
      #expect(
        LayerRoundTrip.array([3], over: type).encodingError(of: .bytes(bytes + [0]))?.reason
          == .wrongByteCount(expected: 3 * size, actual: 3 * size + 1))
    }
  }

  @Test func `Raw bytes are floats if the layer quantizes`() throws {
    let roundTrip = LayerRoundTrip.array([3], over: .uint8, quantize: .standard(.zeroToOne))
    let floats: [Float] = [0, 0.5, 1]
    #expect(try roundTrip.encoded(.bytes(floats.rawBytes)) == [0, 127, 255])
    #expect(
      roundTrip.encodingError(of: .bytes([0, 127, 255]))?.reason
        == .wrongByteCount(expected: 12, actual: 3))
  }

  @Test func `An ineffective quantization leaves raw bytes unchanged`() throws {
    let roundTrip = LayerRoundTrip.array([2], over: .float32, quantize: .standard(.zeroToOne))
    let floats: [Float] = [0.5, -3]
    #expect(try roundTrip.encoded(.bytes(floats.rawBytes)) == floats.rawBytes)
  }

  @Test func `A string layer copies bytes unchanged in both directions`() throws {
    let layer = Layer(
      name: "layer", kind: .string(StringLayer(shape: [4], elementType: .uint8)))
    let roundTrip = LayerRoundTrip(
      layer, over: TensorInfo(name: "tensor", elementType: .uint8, shape: [1, 4]))
    #expect(try roundTrip.encoded(.bytes([9, 8, 7, 6])) == [9, 8, 7, 6])
    #expect(try roundTrip.encoded("abcd".layerValue) == Array("abcd".utf8))
    #expect(try roundTrip.decoded([9, 8, 7, 6]) == .bytes([9, 8, 7, 6]))
    #expect(
      roundTrip.encodingError(of: "abc".layerValue)?.reason
        == .wrongByteCount(expected: 4, actual: 3))
    #expect(
      roundTrip.encodingError(of: [1, 2, 3, 4].layerValue)
        == ModelError(.input, .wrongType(expected: "bytes", actual: "4 numbers"), layer: "layer"))
  }

  @Test func `A tensor of strings requires the exact number of strings`() throws {
    let roundTrip = LayerRoundTrip.array([2], over: .string)
    #expect(try roundTrip.encoded(["ab", "c"].layerValue) == Array("abc".utf8))
    #expect(
      roundTrip.encodingError(of: "ab".layerValue)
        == ModelError(.input, .wrongCount(expected: 2, actual: 1), layer: "layer"))
  }
}
