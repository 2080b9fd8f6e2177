import Foundation
import TensorIOImage
import Testing

@Suite struct `Decoding` {
  @Test func `there are pictures of every format`() {
    #expect(Fixtures.formatNames.count >= 54)
  }

  @Test(arguments: Fixtures.formatNames)
  func `gives the pixels of every kind of picture, upright`(name: String) throws {
    let expected = try PortablePixmap(Fixtures.formatBytes(name + ".ppm"))
    let image = try ImageBuffer(contentsOf: Fixtures.formats.appending(path: name))
    let upright = image.upright().converted(to: .rgb)
    #expect(upright.width == expected.width)
    #expect(upright.height == expected.height)
    let difference = try #require(largestDifference(upright.pixels, expected.pixels))
    let isExact = ["webp", "pnm", "pgm"].contains { name.hasSuffix($0) }
    #expect(difference <= (isExact ? 0 : name.hasSuffix(".jpg") ? 2 : 1))
  }

  @Test(arguments: Fixtures.formatNames)
  func `agrees with the header`(name: String) throws {
    let bytes = try Fixtures.formatBytes(name)
    let (header, image) = (try ImageHeader(of: bytes), try ImageBuffer(decoding: bytes))
    #expect(header.width == image.width)
    #expect(header.height == image.height)
    #expect(header.orientation == image.orientation)
  }

  @Test func `gray pictures stay gray and others are RGB`() throws {
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("gray.jpg")).format == .gray)
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("gray-alpha.png")).format == .gray)
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("alpha.png")).format == .rgb)
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("palette.bmp")).format == .rgb)
  }

  @Test(arguments: 1...8)
  func `the orientation of the file is found`(number: Int) throws {
    for ending in ["jpg", "png"] {
      let bytes = try Fixtures.formatBytes("orientation-\(number).\(ending)")
      #expect(try ImageBuffer(decoding: bytes).orientation.rawValue == number)
    }
  }

  @Test func `an orientation that is asked for wins`() throws {
    let bytes = try Fixtures.formatBytes("orientation-6.jpg")
    let image = try ImageBuffer(decoding: bytes, DecodingOptions(orientation: .down))
    #expect(image.orientation == .down)
  }

  @Test func `a PNG that libpng reads wrongly is refused`() throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: "Refused/interlaced-16-bit.png"))
    #expect(
      imageError { _ = try ImageBuffer(decoding: bytes) }?.reason
        == .unsupported("interlaced PNG with 16 bits per channel"))
  }

  @Test func `a WebP that moves is refused`() throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: "Refused/animated.webp"))
    #expect(
      imageError { _ = try ImageBuffer(decoding: bytes) }?.reason == .unsupported("animated WebP"))
  }

  @Test func `a missing libwebp is told with what brings it`() {
    let error = imageError { _ = try WebPLibrary(path: "/nowhere/libwebp.so") }
    #expect(error?.code == "picture-library-missing")
    #expect(error?.description.contains(WebPLibrary.recoverySuggestion) == true)
    #expect(imageError { _ = try WebPLibrary(path: "libm.so.6") }?.code == error?.code)
  }

  @Test func `the header of a graymap may hold comments, and nothing else`() throws {
    let texts = [
      "P5#a\n1#b\r 1\n#c\n255\n\u{07}", "P5\t1\r1\u{0C}255 \u{07}", "P5 01 1 00255 \u{07}",
    ]
    for text in texts {
      #expect(try ImageBuffer(decoding: Array(text.utf8)).pixels == [7], "\(text)")
    }
    for text in ["P5 -1 1 255 7", "P5 1 1 0 7", "P5 1 1 65536 77", "P5 1 1 2.5 7", "P5 1x1 255 7"] {
      let error = imageError { _ = try ImageBuffer(decoding: Array(text.utf8)) }
      #expect(error?.code == "damaged-picture", "\(text)")
    }
    let huge = Array("P6 9999999999999999999 1 255 ".utf8)
    #expect(imageError { _ = try ImageBuffer(decoding: huge) }?.code == "damaged-picture")
  }

  @Test func `what is no picture is told apart from what is not there`() throws {
    #expect(
      imageError { _ = try ImageBuffer(decoding: Array("hello, world".utf8)) }?.reason
        == .unknownFormat)
    let missing = imageError { _ = try ImageBuffer(contentsOf: "/nowhere/cat.jpg") }
    #expect(missing?.file == "/nowhere/cat.jpg")
    #expect(missing?.reason == .unreadable(message: "there is no such file or folder"))
    let folder = imageError { _ = try ImageBuffer(contentsOf: Fixtures.formats.path) }
    #expect(folder?.reason == .unreadable(message: "it is not a file"))
    #expect(imageError { _ = try ImageBuffer(decoding: [UInt8]()) }?.reason == .truncated)
  }

  @Test func `the same bytes come in as an array, as data, by path and by URL`() throws {
    let url = Fixtures.formats.appending(path: "rgb.png")
    let bytes = try Fixtures.bytes(url)
    let image = try ImageBuffer(decoding: bytes)
    #expect(try ImageBuffer(decoding: Data(bytes)) == image)
    #expect(try ImageBuffer(contentsOf: url) == image)
    #expect(try ImageBuffer(contentsOf: url.path) == image)
  }
}
