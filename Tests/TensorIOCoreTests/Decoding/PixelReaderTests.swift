import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct PixelReaderTests {
  /// Without a scale of its own a tensor of bytes holds only what is not normalized.
  static let lossless = PictureCase.all.filter {
    $0.normalization == nil || $0.type.isFloatingPoint
  }

  @Test(arguments: lossless)
  func `every pixel value of every channel comes back`(each: PictureCase) throws {
    let picture = try LayerValue.image(each.picture())
    #expect(try each.trip.decoded(each.trip.encoded(picture)) == picture)
  }

  private func pixels(_ numbers: [Float], _ code: Normalization?) throws -> [UInt8] {
    let trip = LayerTrip.image(numbers.count, 1, .gray, over: .float32, denormalize: code)
    return try ImageBuffer(trip.decoded(numbers.rawBytes)).pixels
  }

  @Test func `numbers beyond the range are clamped`() throws {
    #expect(
      try pixels([-1, 0, 127.5, 255.4, 256, .infinity, -.infinity, .nan], nil)
        == [0, 0, 127, 255, 255, 255, 0, 0])
    #expect(try pixels([-0.1, 0, 0.5, 1, 1.1], .denormalizing(from: .zeroToOne)) == [0, 0, 127, 255, 255])
    #expect(try pixels([-1.1, -1, 0, 1, 2], .denormalizing(from: .minusOneToOne)) == [0, 0, 127, 255, 255])
  }

  @Test func `a bias belongs to the colour that it names`() throws {
    let code = Normalization(
      scale: ColorTriple(repeating: 255), bias: ColorTriple(red: -0.1, green: -0.2, blue: -0.3))
    let numbers: [Float] = [0.6, 0.7, 0.8]
    let rgb = LayerTrip.image(1, 1, .rgb, over: .float32, denormalize: code)
    #expect(try ImageBuffer(rgb.decoded(numbers.rawBytes)).pixels == [127, 127, 127])
    let bgr = LayerTrip.image(1, 1, .bgr, over: .float32, denormalize: code)
    let reversed = [Float](numbers.reversed()).rawBytes
    let picture = try ImageBuffer(bgr.decoded(reversed))
    #expect(picture.pixels == [127, 127, 127])
    #expect(picture.format == .bgr)
  }

  @Test func `pixels that the model does not give are an error of the layer`() {
    let trip = LayerTrip.image(2, 2, .gray, over: .uint8)
    #expect(throws: ModelError(.output, .wrongCount(expected: 4, actual: 3), layer: "layer")) {
      try trip.decoded([1, 2, 3], shape: [3])
    }
    #expect(throws: ModelError(.output, .wrongCount(expected: 4, actual: 3), layer: "layer")) {
      try trip.decoded([1, 2, 3], shape: [2, 2, 1])
    }
  }
}
