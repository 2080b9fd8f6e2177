import TensorIOImage
import Testing

@Suite struct OrientationTests {
  @Test func `The orientation of a WebP may follow the prefix of JPEG segments`() throws {
    var bytes = try Fixtures.formatBytes("orientation-6.webp")
    let nameEnd = try #require(bytes.firstRange(of: Array("EXIF".utf8))).upperBound
    let prefix = Array("Exif\0\0".utf8)
    bytes.insert(contentsOf: prefix, at: nameEnd + 4)
    for offset in [4, nameEnd] { bytes[offset] += UInt8(prefix.count) }
    #expect(try ImageHeader(of: bytes).orientation == .right)
  }

  /// The upright pixels of an image with the rows 12 and 34.
  @Test(arguments: [
    (ImageOrientation.up, [1, 2, 3, 4]), (.upMirrored, [2, 1, 4, 3]), (.down, [4, 3, 2, 1]),
    (.downMirrored, [3, 4, 1, 2]), (.leftMirrored, [1, 3, 2, 4]), (.right, [3, 1, 4, 2]),
    (.rightMirrored, [4, 2, 3, 1]), (.left, [2, 4, 1, 3]),
  ])
  func `Orientations are applied as EXIF defines`(orientation: ImageOrientation, expected: [UInt8])
    throws
  {
    let image = try ImageBuffer(
      width: 2, height: 2, format: .gray, pixels: [1, 2, 3, 4], orientation: orientation)
    #expect(image.upright().pixels == expected)
    #expect(image.upright().orientation == .up)
  }

  @Test(arguments: ImageOrientation.allCases, PixelFormat.allCases)
  func `A preparation applies orientations like upright()`(
    orientation: ImageOrientation, format: PixelFormat
  ) throws {
    let image = try ImageBuffer.noise(
      width: 41, height: 35, format: format, orientation: orientation)
    let part = try image.cropped(to: PixelRegion(x: 3, y: 1, width: 37, height: 33))
    for filter in ImageFilter.allCases {
      let preparation = ImagePreparation(width: 18, height: 21, filter: filter)
      #expect(try preparation(part).image == preparation(part.upright()).image, "\(filter)")
    }
  }

  @Test func `Orientations swap the sides of an image`() throws {
    for orientation in ImageOrientation.allCases {
      let image = try ImageBuffer.noise(width: 5, height: 3, orientation: orientation)
      let upright = image.upright()
      #expect(image.uprightWidth == upright.width)
      #expect(image.uprightHeight == upright.height)
      #expect(orientation.swapsDimensions == (upright.width == 3))
    }
  }

  @Test(arguments: ImageOrientation.allCases)
  func `Orientations are parsed from names and numbers`(orientation: ImageOrientation) {
    #expect(ImageOrientation(name: orientation.name) == orientation)
    #expect(ImageOrientation(name: "\(orientation.rawValue)") == orientation)
  }

  @Test(arguments: ["", "0", "9", "UP", "up ", "mirrored", "-1"])
  func `Unknown orientation names are rejected`(name: String) {
    #expect(ImageOrientation(name: name) == nil)
  }
}
