import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct PixelReaderTests {
  /// Without quantization, a byte tensor can only store pixels that are not normalized.
  static let lossless = ImageLayerCase.all.filter {
    $0.normalization == nil || $0.type.isFloatingPoint
  }

  @Test(arguments: lossless)
  func `Every pixel value of every channel is preserved in a round trip`(each: ImageLayerCase)
    throws
  {
    let image = try LayerValue.image(each.image())
    #expect(try each.roundTrip.decoded(each.roundTrip.encoded(image)) == image)
  }

  private func pixels(_ numbers: [Float], _ code: Normalization?) throws -> [UInt8] {
    let roundTrip = LayerRoundTrip.image(numbers.count, 1, .gray, over: .float32, denormalize: code)
    return try ImageBuffer(roundTrip.decoded(numbers.rawBytes)).pixels
  }

  @Test func `Numbers out of range are clamped`() throws {
    #expect(
      try pixels([-1, 0, 127.5, 255.4, 256, .infinity, -.infinity, .nan], nil)
        == [0, 0, 127, 255, 255, 255, 0, 0])
    #expect(
      try pixels([-0.1, 0, 0.5, 1, 1.1], .denormalizing(from: .zeroToOne)) == [0, 0, 127, 255, 255])
    #expect(
      try pixels([-1.1, -1, 0, 1, 2], .denormalizing(from: .minusOneToOne)) == [
        0, 0, 127, 255, 255,
      ])
  }

  @Test func `A bias applies to the color it is named after`() throws {
    let code = Normalization(
      scale: ColorTriple(repeating: 255), bias: ColorTriple(red: -0.1, green: -0.2, blue: -0.3))
    let numbers: [Float] = [0.6, 0.7, 0.8]
    let rgb = LayerRoundTrip.image(1, 1, .rgb, over: .float32, denormalize: code)
    #expect(try ImageBuffer(rgb.decoded(numbers.rawBytes)).pixels == [127, 127, 127])
    let bgr = LayerRoundTrip.image(1, 1, .bgr, over: .float32, denormalize: code)
    let reversed = [Float](numbers.reversed()).rawBytes
    let image = try ImageBuffer(bgr.decoded(reversed))
    #expect(image.pixels == [127, 127, 127])
    #expect(image.format == .bgr)
  }

  @Test func `Missing pixels are an error of the layer`() {
    let roundTrip = LayerRoundTrip.image(2, 2, .gray, over: .uint8)
    #expect(throws: ModelError(.output, .wrongCount(expected: 4, actual: 3), layer: "layer")) {
      try roundTrip.decoded([1, 2, 3], shape: [3])
    }
    #expect(throws: ModelError(.output, .wrongCount(expected: 4, actual: 3), layer: "layer")) {
      try roundTrip.decoded([1, 2, 3], shape: [2, 2, 1])
    }
  }
}
