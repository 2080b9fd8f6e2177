import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ImageEncoderTests {
  @Test(arguments: ImageLayerCase.all)
  func `Every pixel is normalized by the color of its channel`(
    each: ImageLayerCase
  ) throws {
    let bytes = try each.roundTrip.encoded(.image(each.image()))
    let numbers = try each.numbers()
    switch each.type {
    case .float32: #expect(bytes.values(of: Float.self) == numbers)
    case .float16: #expect(bytes.values(of: UInt16.self) == numbers.map(HalfFloat.bits(of:)))
    case .uint8: #expect(bytes == numbers.map { UInt8(saturating: $0) })
    default:
      let isShifted = each.normalization == nil
      #expect(
        bytes.values(of: Int8.self)
          == numbers.map { isShifted ? Int8($0 - 128) : Int8(saturating: $0) })
    }
  }

  static let quantized: [(type: ElementType, own: TensorQuantization)] = [
    (.uint8, TensorQuantization(scale: 1 / 255, zeroPoint: 0)),
    (.int8, TensorQuantization(scale: 1 / 255, zeroPoint: -128)),
  ]

  @Test(arguments: quantized)
  func `A normalized image uses the scale and zero point of a byte tensor`(
    type: ElementType, own: TensorQuantization
  ) throws {
    let each = ImageLayerCase(
      format: .rgb, type: type, normalization: .normalizing(to: .zeroToOne), quantization: own)
    let stored = try each.image().pixels.map {
      type == .int8 ? UInt8(bitPattern: Int8(Int($0) - 128)) : $0
    }
    #expect(try each.roundTrip.encoded(.image(each.image())) == stored)
    #expect(try each.roundTrip.decoded(stored) == .image(each.image()))
  }

  @Test func `An image without normalization is stored unchanged for any scale`()
    throws
  {
    var each = ImageLayerCase(format: .bgr, type: .uint8, normalization: nil)
    each.quantization = TensorQuantization(scale: 0.5, zeroPoint: 7)
    #expect(try each.roundTrip.encoded(.image(each.image())) == each.image().pixels)
  }

  @Test(arguments: PixelFormat.allCases)
  func `An image's channels are reordered for the layer`(format: PixelFormat) throws {
    let inputImage = try ImageBuffer.filled(
      width: 1, height: 1, format: format, red: 10, green: 20, blue: 30)
    let rgb = try LayerRoundTrip.image(1, 1, .rgb, over: .uint8).encoded(.image(inputImage))
    let bgr = try LayerRoundTrip.image(1, 1, .bgr, over: .uint8).encoded(.image(inputImage))
    #expect(rgb == (format == .gray ? [rgb[0], rgb[0], rgb[0]] : [10, 20, 30]))
    #expect(bgr == rgb.reversed())
    let luma = PixelColor(red: 10, green: 20, blue: 30).luma
    #expect(
      try LayerRoundTrip.image(1, 1, .gray, over: .uint8).encoded(.image(inputImage)) == [luma])
  }

  @Test func `An encoded image is decoded`() throws {
    let each = ImageLayerCase(format: .rgb, type: .uint8, normalization: nil)
    let png = try each.image().encoded(as: .png)
    #expect(try each.roundTrip.encoded(.bytes(png)) == each.image().pixels)
  }

  @Test func `A caller can override the orientation of an encoded image`() throws {
    let inputImage = try ImageBuffer(width: 2, height: 1, format: .gray, pixels: [1, 2])
    let png = try inputImage.encoded(as: .png)
    var roundTrip = LayerRoundTrip.image(2, 1, .gray, over: .uint8)
    #expect(try roundTrip.encoded(.bytes(png)) == [1, 2])
    roundTrip.orientation = .upMirrored
    #expect(try roundTrip.encoded(.bytes(png)) == [2, 1])
    var turned = LayerRoundTrip.image(1, 2, .gray, over: .uint8)
    turned.orientation = .right
    #expect(try turned.encoded(.bytes(png)) == [1, 2])
    turned.orientation = .left
    #expect(try turned.encoded(.bytes(png)) == [2, 1])
  }

  static let prepared: [LayerValue] = [
    [1, 2, 3, 4, 5, 6].layerValue, [[[1, 2, 3], [4, 5, 6]]].layerValue,
    [[[[1, 2, 3], [4, 5, 6]]]].layerValue, ([1, 2, 3, 4, 5, 6] as [Float]).layerValue,
  ]

  @Test(arguments: prepared)
  func `Preprocessed numbers are stored unchanged`(value: LayerValue) throws {
    let roundTrip = LayerRoundTrip.image(
      2, 1, over: .float32, normalize: .normalizing(to: .zeroToOne),
      quantization: TensorQuantization(scale: 2, zeroPoint: 1))
    #expect(try roundTrip.encoded(value).values(of: Float.self) == [1, 2, 3, 4, 5, 6])
    #expect(try LayerRoundTrip.image(2, 1, over: .int8).encoded(value) == [1, 2, 3, 4, 5, 6])
  }

  static let invalidValues: [(value: LayerValue, reason: ModelError.Reason)] = [
    ([1, 2, 3].layerValue, .wrongCount(expected: 6, actual: 3)),
    (
      [[[1], [2]], [[3], [4]], [[5], [6]]].layerValue,
      .wrongShape(expected: "[1,2,3]", actual: "[3, 2, 1]")
    ),
    ("cat.jpg".layerValue, .wrongType(expected: "an image", actual: "a string")),
    (.list([]), .wrongType(expected: "an image", actual: "a list of 0 values")),
    (
      .classification(Classification(labels: [], scores: [])),
      .wrongType(expected: "an image", actual: "a classification")
    ),
    (.bytes([]), .image(ImageError(.truncated))),
    (.bytes([1, 2, 3]), .image(ImageError(.unknownFormat))),
  ]

  @Test(arguments: invalidValues)
  func `A value that is not an image is rejected with its kind`(
    value: LayerValue, reason: ModelError.Reason
  ) {
    let roundTrip = LayerRoundTrip.image(2, 1, over: .float32)
    #expect(roundTrip.encodingError(of: value) == ModelError(.input, reason, layer: "layer"))
  }

  @Test func `A layer larger than the image limits rejects images`() throws {
    let inputImage = try ImageBuffer.filled(width: 1, height: 1, red: 0, green: 0, blue: 0)
    let roundTrip = LayerRoundTrip.image(20_000, 1, .gray, over: .uint8)
    #expect(
      roundTrip.encodingError(of: .image(inputImage))
        == ModelError(
          .input, .image(ImageError(.tooLarge(width: 20_000, height: 1))), layer: "layer"))
  }

  @Test func `The geometry of each image is returned by layer`() throws {
    let inputImage = try ImageBuffer.filled(width: 8, height: 4, red: 0, green: 0, blue: 0)
    let roundTrip = LayerRoundTrip.image(2, 2, over: .uint8)
    let encoder = InputEncoder(
      [roundTrip.layer, roundTrip.layer], tensors: [roundTrip.tensor, roundTrip.tensor])
    let session = try FakeModel(inputs: [roundTrip.tensor, roundTrip.tensor], outputs: []) { _ in []
    }
    .makeSession(SessionOptions())
    let numbers = [UInt8](repeating: 0, count: 12).layerValue
    let geometries = try encoder.encode([.image(inputImage), numbers], into: session)
    let corner = geometries[0].map { $0.modelToImage.apply(0, 0) }
    #expect(corner.map { [$0.x, $0.y] } == [2, 0])
    #expect(geometries.count == 2 && geometries[1] == nil)
  }
}
