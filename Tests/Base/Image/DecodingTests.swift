import Foundation
import TensorIOImage
import Testing

@Suite struct DecodingTests {
  @Test func `There are fixtures of every format`() {
    #expect(Fixtures.formatNames.count >= 54)
  }

  @Test(arguments: Fixtures.formatNames)
  func `Every kind of image decodes to the expected upright pixels`(name: String) throws {
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
  func `The decoded image agrees with the header`(name: String) throws {
    let bytes = try Fixtures.formatBytes(name)
    let (header, image) = (try ImageHeader(of: bytes), try ImageBuffer(decoding: bytes))
    #expect(header.width == image.width)
    #expect(header.height == image.height)
    #expect(header.orientation == image.orientation)
  }

  @Test func `Gray images stay gray and others become RGB`() throws {
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("gray.jpg")).format == .gray)
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("gray-alpha.png")).format == .gray)
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("alpha.png")).format == .rgb)
    #expect(try ImageBuffer(decoding: Fixtures.formatBytes("palette.bmp")).format == .rgb)
  }

  @Test(arguments: 1...8)
  func `The orientation is read from the file`(number: Int) throws {
    for pathExtension in ["jpg", "png"] {
      let bytes = try Fixtures.formatBytes("orientation-\(number).\(pathExtension)")
      #expect(try ImageBuffer(decoding: bytes).orientation.rawValue == number)
    }
  }

  @Test func `A specified orientation overrides the file's`() throws {
    let bytes = try Fixtures.formatBytes("orientation-6.jpg")
    let image = try ImageBuffer(decoding: bytes, DecodingOptions(orientation: .down))
    #expect(image.orientation == .down)
  }

  @Test func `A PNG that libpng decodes incorrectly is rejected`() throws {
    let bytes = try Fixtures.bytes(
      Fixtures.images.appending(path: "Rejected/interlaced-16-bit.png"))
    #expect(
      imageError { _ = try ImageBuffer(decoding: bytes) }?.reason
        == .unsupported("an interlaced PNG with 16 bits per channel"))
  }

  @Test func `An animated WebP is rejected`() throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: "Rejected/animated.webp"))
    #expect(
      imageError { _ = try ImageBuffer(decoding: bytes) }?.reason
        == .unsupported("an animated WebP"))
  }

  @Test func `The error for a missing libwebp includes the install command`() {
    let error = imageError { _ = try WebPLibrary(path: "/nowhere/libwebp.so") }
    #expect(error?.code == "image-library-missing")
    #expect(error?.description.contains(WebPLibrary.recoverySuggestion) == true)
    #expect(imageError { _ = try WebPLibrary(path: "libm.so.6") }?.code == error?.code)
  }

  @Test func `The header of a graymap may contain only numbers and comments`() throws {
    let texts = [
      "P5#a\n1#b\r 1\n#c\n255\n\u{07}", "P5\t1\r1\u{0C}255 \u{07}", "P5 01 1 00255 \u{07}",
      "P5 1 1 255# the maximum\n\u{07}",
    ]
    for text in texts {
      #expect(try ImageBuffer(decoding: Array(text.utf8)).pixels == [7], "\(text)")
    }
    for text in ["P5 -1 1 255 7", "P5 1 1 0 7", "P5 1 1 65536 77", "P5 1 1 2.5 7", "P5 1x1 255 7"] {
      let error = imageError { _ = try ImageBuffer(decoding: Array(text.utf8)) }
      #expect(error?.code == "corrupt-image", "\(text)")
    }
    let endless = imageError { _ = try ImageBuffer(decoding: Array("P5 1 1 255# no pixels".utf8)) }
    #expect(endless?.reason == .truncated)
    let huge = Array("P6 9999999999999999999 1 255 ".utf8)
    #expect(imageError { _ = try ImageBuffer(decoding: huge) }?.code == "corrupt-image")
  }

  @Test func `An unknown format is distinguished from a missing file`() throws {
    #expect(
      imageError { _ = try ImageBuffer(decoding: Array("hello, world".utf8)) }?.reason
        == .unknownFormat)
    let missing = imageError { _ = try ImageBuffer(contentsOf: "/nowhere/cat.jpg") }
    #expect(missing?.file == "/nowhere/cat.jpg")
    #expect(missing?.reason == .unreadable(message: "no such file or directory"))
    let folder = imageError { _ = try ImageBuffer(contentsOf: Fixtures.formats.path) }
    #expect(folder?.reason == .unreadable(message: "not a regular file"))
    #expect(imageError { _ = try ImageBuffer(decoding: [UInt8]()) }?.reason == .truncated)
  }

  @Test func `Arrays, data, paths and URLs decode to the same image`() throws {
    let url = Fixtures.formats.appending(path: "rgb.png")
    let bytes = try Fixtures.bytes(url)
    let image = try ImageBuffer(decoding: bytes)
    #expect(try ImageBuffer(decoding: Data(bytes)) == image)
    #expect(try ImageBuffer(contentsOf: url) == image)
    #expect(try ImageBuffer(contentsOf: url.path) == image)
  }
}
