import TensorIOImage
import Testing
@testable import TensorIOBundle
@testable import TensorIOCore

@Suite struct ImageLayoutTests {
  @Test(arguments: PictureCase.all)
  func `channels that come first are planes of what channels that come last are`(
    each: PictureCase
  ) throws {
    var planar = each
    planar.layout = .channelsFirst
    let size = each.type.byteCount ?? 0
    let interleaved = try each.trip.encoded(.image(each.picture()))
    let elements = stride(from: 0, to: interleaved.count, by: size).map {
      Array(interleaved[$0..<$0 + size])
    }
    let planes = PictureCase.planes(of: elements, channels: each.format.bytesPerPixel)
    #expect(try planar.trip.encoded(.image(each.picture())) == planes.flatMap(\.self))
  }

  @Test(arguments: PixelReaderTests.lossless)
  func `every pixel comes back from its plane`(each: PictureCase) throws {
    var planar = each
    planar.layout = .channelsFirst
    let picture = try LayerValue.image(each.picture())
    #expect(try planar.trip.decoded(planar.trip.encoded(picture)) == picture)
  }

  @Test func `rows that are longer than columns are told apart`() throws {
    let trip = LayerTrip.image(3, 2, .rgb, over: .uint8, layout: .channelsFirst)
    let picture = try ImageBuffer(
      width: 3, height: 2, format: .rgb, pixels: (0..<18).map { UInt8($0) })
    let planes: [UInt8] = [0, 3, 6, 9, 12, 15, 1, 4, 7, 10, 13, 16, 2, 5, 8, 11, 14, 17]
    #expect(try trip.encoded(.image(picture)) == planes)
    #expect(try trip.decoded(planes) == .image(picture))
  }

  @Test(arguments: [ImageLayout.channelsLast, .channelsFirst])
  func `a tensor that lies the other way round comes with the words that put it right`(
    layout: ImageLayout
  ) throws {
    let declared = LayerTrip.image(5, 4, .rgb, over: .float32, layout: layout)
    let tensor = TensorInfo(
      name: "t", elementType: .float32,
      shape: layout == .channelsLast ? [1, 3, 4, 5] : [1, 4, 5, 3])
    let problem = LayerValidator(declared.layer, tensor, .input(0), false).diagnostics.first
    #expect(problem?.code == "tensor-shape")
    #expect(
      problem?.suggestion
        == (layout == .channelsLast
          ? "write \"layout\": \"NCHW\" and the shape as [3,4,5]"
          : "leave out the layout, and write the shape as [4,5,3]"))
  }
}
