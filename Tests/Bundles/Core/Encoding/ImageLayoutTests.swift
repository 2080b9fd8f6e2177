import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ImageLayoutTests {
  @Test(arguments: ImageLayerCase.all)
  func `The planar layout has the same values as the interleaved layout`(
    each: ImageLayerCase
  ) throws {
    var planar = each
    planar.layout = .channelsFirst
    let size = each.type.byteCount ?? 0
    let interleaved = try each.roundTrip.encoded(.image(each.image()))
    let elements = stride(from: 0, to: interleaved.count, by: size).map {
      Array(interleaved[$0..<$0 + size])
    }
    let planes = ImageLayerCase.planes(of: elements, channels: each.format.bytesPerPixel)
    #expect(try planar.roundTrip.encoded(.image(each.image())) == planes.flatMap(\.self))
  }

  @Test(arguments: PixelReaderTests.lossless)
  func `Every pixel is preserved in a planar round trip`(each: ImageLayerCase) throws {
    var planar = each
    planar.layout = .channelsFirst
    let image = try LayerValue.image(each.image())
    #expect(try planar.roundTrip.decoded(planar.roundTrip.encoded(image)) == image)
  }

  @Test func `Width and height are not confused`() throws {
    let roundTrip = LayerRoundTrip.image(3, 2, .rgb, over: .uint8, layout: .channelsFirst)
    let image = try ImageBuffer(
      width: 3, height: 2, format: .rgb, pixels: (0..<18).map { UInt8($0) })
    let planes: [UInt8] = [0, 3, 6, 9, 12, 15, 1, 4, 7, 10, 13, 16, 2, 5, 8, 11, 14, 17]
    #expect(try roundTrip.encoded(.image(image)) == planes)
    #expect(try roundTrip.decoded(planes) == .image(image))
  }

  @Test(arguments: [ImageLayout.channelsLast, .channelsFirst])
  func `A tensor with the other layout has a suggestion that fixes it`(
    layout: ImageLayout
  ) throws {
    let declared = LayerRoundTrip.image(5, 4, .rgb, over: .float32, layout: layout)
    let tensor = TensorInfo(
      name: "t", elementType: .float32,
      shape: layout == .channelsLast ? [1, 3, 4, 5] : [1, 4, 5, 3])
    let diagnostic = LayerValidator(declared.layer, tensor, .input(0), false).diagnostics.first
    #expect(diagnostic?.code == "tensor-shape")
    #expect(
      diagnostic?.suggestion
        == (layout == .channelsLast
          ? "write \"layout\": \"NCHW\" and the shape as [3,4,5]"
          : "remove the layout and write the shape as [4,5,3]"))
  }
}
