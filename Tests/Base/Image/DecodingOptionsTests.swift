import Foundation
import TensorIOImage
import Testing

@Suite struct DecodingOptionsTests {
  /// The size of the image, the size of the frame, and the expected divisor.
  @Test(arguments: [
    (1280, 720, 224, 224, ImageFit.crop, 1), (1280, 720, 180, 180, .crop, 2),
    (1280, 720, 90, 90, .crop, 4), (1280, 720, 45, 45, .crop, 8), (1280, 720, 46, 46, .crop, 4),
    (1280, 720, 224, 224, .letterbox, 2), (1280, 720, 224, 126, .stretch, 2),
    (1280, 720, 224, 200, .stretch, 1), (719, 1281, 45, 45, .crop, 4), (9, 9, 1, 1, .crop, 4),
  ])
  func `The default scale keeps at least twice the required resolution`(
    width: Int, height: Int, frameWidth: Int, frameHeight: Int, fit: ImageFit, divisor: Int
  ) throws {
    let bytes = try ImageBuffer.filled(
      width: width, height: height, red: 80, green: 90, blue: 100
    ).encoded(as: .jpeg())
    let options = DecodingOptions(
      minWidth: frameWidth, minHeight: frameHeight, fit: fit)
    let image = try ImageBuffer(decoding: bytes, options)
    #expect(image.width == (width + divisor - 1) / divisor)
    #expect(image.height == (height + divisor - 1) / divisor)
    #expect(image.originalWidth == width && image.originalHeight == height)
    #expect(try ImageBuffer(decoding: bytes).width == width)
  }

  /// The decode scale, the side of the frame, and the expected divisor.
  @Test(arguments: [
    (DecodeScale.full, 45, 1), (.double, 180, 2), (.double, 181, 1), (.single, 360, 2),
    (.single, 361, 1), (.single, 180, 4), (.single, 90, 8), (.single, 1, 8),
  ])
  func `The decode scale determines the resolution`(
    decodeScale: DecodeScale, side: Int, divisor: Int
  ) throws {
    let bytes = try ImageBuffer.filled(width: 1280, height: 720, red: 80, green: 90, blue: 100)
      .encoded(as: .jpeg())
    let preparation = ImagePreparation(width: side, height: side)
    let options = DecodingOptions(for: preparation, decodeScale: decodeScale)
    #expect(try ImageBuffer(decoding: bytes, options).width == 1280 / divisor)
  }

  @Test func `The orientation is taken into account`() throws {
    let bytes = try ImageBuffer.filled(width: 800, height: 200, red: 1, green: 1, blue: 1)
      .encoded(as: .jpeg())
    let preparation = ImagePreparation(width: 100, height: 25, fit: .stretch)
    let landscape = DecodingOptions(for: preparation)
    let rotated = DecodingOptions(for: preparation, orientation: .right)
    #expect(try ImageBuffer(decoding: bytes, landscape).width == 200)
    #expect(try ImageBuffer(decoding: bytes, rotated).width == 800)
  }

  @Test func `Nearest-neighbor sampling decodes at full resolution`() throws {
    let bytes = try ImageBuffer.filled(width: 800, height: 200, red: 1, green: 1, blue: 1)
      .encoded(as: .jpeg())
    let preparation = ImagePreparation(width: 4, height: 4, filter: .nearest)
    #expect(try ImageBuffer(decoding: bytes, DecodingOptions(for: preparation)).width == 800)
  }

  @Test(arguments: ["china.jpg", "flower.jpg"])
  func `A reduced resolution changes the prepared image only slightly`(name: String) throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: name))
    let preparation = ImagePreparation(width: 100, height: 100, filter: .bilinear)
    let full = try preparation(ImageBuffer(decoding: bytes)).image
    let reduced = try ImageBuffer(decoding: bytes, DecodingOptions(for: preparation))
    #expect(reduced.width == 320)
    let differences = try zip(full.pixels, preparation(reduced).image.pixels).map {
      abs(Int($0) - Int($1))
    }
    #expect(differences.reduce(0, +) < 3 * differences.count)
  }

  @Test func `An invalid target size decodes at full resolution`() throws {
    let bytes = try ImageBuffer.noise(width: 64, height: 64).encoded(as: .jpeg())
    for (width, height) in [(0, -3), (.max, .max), (.min, 1)] {
      for fit in ImageFit.allCases {
        let options = DecodingOptions(minWidth: width, minHeight: height, fit: fit)
        #expect(try ImageBuffer(decoding: bytes, options).width == 64)
      }
    }
  }
}
