import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOImage

/// Images that are resampled while they are decoded.
@Suite struct StreamedImageTests {
  static let names = [
    "rgb.png", "gray.png", "alpha.png", "gray-alpha.png", "1-bit.png", "16-bit.png",
    "16-bit-gray.png", "16-bit-alpha.png", "palette.png", "palette-4-bit.png",
    "palette-transparent.png", "transparent-color.png", "linear-gamma.png",
  ]

  static let preparations = ImageFilter.allCases.flatMap { filter in
    [
      ImagePreparation(width: 7, height: 5, fit: .crop, filter: filter),
      ImagePreparation(width: 9, height: 3, fit: .stretch, filter: filter),
      ImagePreparation(
        width: 8, height: 40, fit: .letterbox, filter: filter,
        pad: PixelColor(red: 10, green: 200, blue: 90)),
      ImagePreparation(width: 70, height: 61, fit: .letterbox, filter: filter),
    ]
  }

  @Test(arguments: names)
  func `Resampling while decoding returns the same pixels as decoding first`(
    name: String
  ) throws {
    let bytes = try Fixtures.formatBytes(name)
    let whole = try ImageBuffer(decoding: bytes)
    let stream = try #require(
      StreamedPNG(try PNGStructure(bytes), orientation: nil, minArea: 1))
    for preparation in Self.preparations {
      for format in [PixelFormat.rgb, .bgr, .gray, .rgba] {
        let expected = try preparation(whole, as: format)
        let content = try stream.fittedContent(for: preparation, isGray: format == .gray)
        let streamed = try preparation(content, as: format)
        #expect(streamed.image == expected.image, "\(preparation) \(format)")
        #expect(streamed.geometry == expected.geometry)
      }
    }
  }

  /// Returns a gray PNG that takes few bytes.
  private static func png(side: Int) throws -> [UInt8] {
    try ImageBuffer.filled(
      width: side, height: side, format: .gray, red: 70, green: 70, blue: 70
    ).encoded(as: .png)
  }

  @Test func `A large image is prepared without decoding it as a whole`() async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Self.png(side: 8100), to: "image")
    // A separate process, so that memory allocated by other tests is not measured.
    await #expect(processExitsWith: .success) { [path = path as String] in
      let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
      let preparation = ImagePreparation(width: 224, height: 224)
      _ = try preparation(ImageBuffer(decoding: Fixtures.formatBytes("rgb.png")))
      let before = try MemoryUsage.peakBytes
      let options = DecodingOptions(for: preparation)
      let image = try preparation.decode(bytes, as: .rgb, options)
      #expect(try preparation(image).geometry.imageWidth == 8100)
      let cost = ImageDecodingCost(of: bytes, options)
      let growth = try MemoryUsage.peakBytes - before
      #expect(growth < 16 << 20, "\(growth) bytes")
      #expect(growth < cost.bytes + 4 << 20)
      #expect(cost.pixels == 8100 * 8100)
    }
  }

  @Test func `A damaged large image fails with the error of decoding it as a whole`() throws {
    let intact = try Self.png(side: 2000)
    let preparation = ImagePreparation(width: 8, height: 8)
    let options = DecodingOptions(for: preparation)
    for position in [60, intact.count / 2, intact.count - 30] {
      var damaged = intact
      damaged[position] ^= 0x55
      let whole = #expect(throws: ImageError.self) { try ImageBuffer(decoding: damaged) }
      let streamed = #expect(throws: ImageError.self) {
        try preparation.decode(damaged, as: .rgb, options)
      }
      #expect(whole?.code == streamed?.code)
    }
    let truncated = Array(intact.dropLast(40))
    let error = #expect(throws: ImageError.self) {
      try preparation.decode(truncated, as: .rgb, options)
    }
    #expect(error?.reason == .truncated)
  }

  @Test func `An image that has to be turned is decoded as a whole`() throws {
    let structure = try PNGStructure(Self.png(side: 2000))
    #expect(StreamedPNG(structure, orientation: nil) != nil)
    #expect(StreamedPNG(structure, orientation: .right) == nil)
    #expect(StreamedPNG(try PNGStructure(Self.png(side: 1000)), orientation: nil) == nil)
  }

  @Test func `A large image is reduced to a maximum side`() throws {
    let bytes = try Self.png(side: 4000)
    let image = try ImageBuffer(decoding: bytes, maxSide: 500)
    #expect(image.width == 500 && image.height == 500)
    #expect(image.originalWidth == 4000 && image.originalHeight == 4000)
    #expect(try ImageBuffer(decoding: bytes, maxSide: 4000).width == 4000)
    let cost = ImageDecodingCost(of: bytes, maxSide: 500)
    #expect(cost.bytes < ImageDecodingCost(of: bytes).bytes / 2)
  }

  @Test func `The cost of a progressive JPEG includes its coefficients`() throws {
    let options = DecodingOptions(for: ImagePreparation(width: 100, height: 100))
    let side = 8000
    let baseline = ImageDecodingCost(
      of: try Fixtures.jpeg("baseline-420.jpg", width: side, height: side), options)
    let progressive = ImageDecodingCost(
      of: try Fixtures.jpeg("progressive.jpg", width: side, height: side), options)
    #expect(baseline.pixels == side * side && progressive.pixels == side * side)
    #expect(baseline.bytes < 4 << 20)
    #expect(progressive.bytes > side * side * 3)
  }

  @Test func `A file that cannot be decoded costs nothing`() throws {
    #expect(ImageDecodingCost(of: Array("text".utf8)) == .none)
    #expect(ImageDecodingCost(of: Fixtures.blackPNG(side: 20_000)) == .none)
  }
}
