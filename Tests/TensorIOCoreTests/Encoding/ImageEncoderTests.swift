import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ImageEncoderTests {
  @Test(arguments: PictureCase.all)
  func `every pixel becomes its number, by the colour that its channel holds`(
    each: PictureCase
  ) throws {
    let bytes = try each.trip.encoded(.image(each.picture()))
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
  func `a normalized picture takes the scale and zero point of a tensor of bytes`(
    type: ElementType, own: TensorQuantization
  ) throws {
    let each = PictureCase(
      format: .rgb, type: type, normalization: .normalizing(to: .zeroToOne), quantization: own)
    let stored = try each.picture().pixels.map {
      type == .int8 ? UInt8(bitPattern: Int8(Int($0) - 128)) : $0
    }
    #expect(try each.trip.encoded(.image(each.picture())) == stored)
    #expect(try each.trip.decoded(stored) == .image(each.picture()))
  }

  @Test func `a picture without normalization is stored as it is, whatever the tensor's scale`()
    throws
  {
    var each = PictureCase(format: .bgr, type: .uint8, normalization: nil)
    each.quantization = TensorQuantization(scale: 0.5, zeroPoint: 7)
    #expect(try each.trip.encoded(.image(each.picture())) == each.picture().pixels)
  }

  @Test(arguments: PixelFormat.allCases)
  func `a picture's own channels are put into the order of the layer`(format: PixelFormat) throws {
    let picture = try ImageBuffer.filled(
      width: 1, height: 1, format: format, red: 10, green: 20, blue: 30)
    let rgb = try LayerTrip.image(1, 1, .rgb, over: .uint8).encoded(.image(picture))
    let bgr = try LayerTrip.image(1, 1, .bgr, over: .uint8).encoded(.image(picture))
    #expect(rgb == (format == .gray ? [rgb[0], rgb[0], rgb[0]] : [10, 20, 30]))
    #expect(bgr == rgb.reversed())
    let luma = PixelColor(red: 10, green: 20, blue: 30).luma
    #expect(try LayerTrip.image(1, 1, .gray, over: .uint8).encoded(.image(picture)) == [luma])
  }

  @Test func `an encoded picture is decoded on its way`() throws {
    let each = PictureCase(format: .rgb, type: .uint8, normalization: nil)
    let png = try each.picture().encoded(as: .png)
    #expect(try each.trip.encoded(.bytes(png)) == each.picture().pixels)
  }

  @Test func `a caller may say which way an encoded picture lies`() throws {
    let picture = try ImageBuffer(width: 2, height: 1, format: .gray, pixels: [1, 2])
    let png = try picture.encoded(as: .png)
    var trip = LayerTrip.image(2, 1, .gray, over: .uint8)
    #expect(try trip.encoded(.bytes(png)) == [1, 2])
    trip.orientation = .upMirrored
    #expect(try trip.encoded(.bytes(png)) == [2, 1])
    var turned = LayerTrip.image(1, 2, .gray, over: .uint8)
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
  func `numbers that are prepared already go in untouched`(value: LayerValue) throws {
    let trip = LayerTrip.image(
      2, 1, over: .float32, normalize: .normalizing(to: .zeroToOne),
      quantization: TensorQuantization(scale: 2, zeroPoint: 1))
    #expect(try trip.encoded(value).values(of: Float.self) == [1, 2, 3, 4, 5, 6])
    #expect(try LayerTrip.image(2, 1, over: .int8).encoded(value) == [1, 2, 3, 4, 5, 6])
  }

  static let refused: [(value: LayerValue, reason: ModelError.Reason)] = [
    ([1, 2, 3].layerValue, .wrongCount(expected: 6, actual: 3)),
    (
      [[[1], [2]], [[3], [4]], [[5], [6]]].layerValue,
      .wrongShape(expected: "[1,2,3]", actual: "[3, 2, 1]")
    ),
    ("cat.jpg".layerValue, .wrongType(expected: "a picture", actual: "a text")),
    (.list([]), .wrongType(expected: "a picture", actual: "a list of 0")),
    (
      .classification(Classification(labels: [], scores: [])),
      .wrongType(expected: "a picture", actual: "a classification")
    ),
    (.bytes([]), .image(ImageError(.truncated))),
    (.bytes([1, 2, 3]), .image(ImageError(.unknownFormat))),
  ]

  @Test(arguments: refused)
  func `what makes no picture is refused by name`(
    value: LayerValue, reason: ModelError.Reason
  ) {
    let trip = LayerTrip.image(2, 1, over: .float32)
    #expect(trip.refusal(of: value) == ModelError(.input, reason, layer: "layer"))
  }

  @Test func `a layer larger than any picture refuses pictures`() throws {
    let picture = try ImageBuffer.filled(width: 1, height: 1, red: 0, green: 0, blue: 0)
    let trip = LayerTrip.image(20_000, 1, .gray, over: .uint8)
    #expect(
      trip.refusal(of: .image(picture))
        == ModelError(
          .input, .image(ImageError(.tooLarge(width: 20_000, height: 1))), layer: "layer"))
  }

  @Test func `how a picture was fitted is told by layer`() throws {
    let picture = try ImageBuffer.filled(width: 8, height: 4, red: 0, green: 0, blue: 0)
    let trip = LayerTrip.image(2, 2, over: .uint8)
    let encoder = InputEncoder([trip.layer, trip.layer], tensors: [trip.tensor, trip.tensor])
    let session = try FakeModel(inputs: [trip.tensor, trip.tensor], outputs: []) { _ in [] }
      .makeSession(SessionOptions())
    let numbers = [UInt8](repeating: 0, count: 12).layerValue
    let geometries = try encoder.encode([.image(picture), numbers], into: session)
    let corner = geometries[0].map { $0.modelToImage.apply(0, 0) }
    #expect(corner.map { [$0.x, $0.y] } == [2, 0])
    #expect(geometries.count == 2 && geometries[1] == nil)
  }
}
