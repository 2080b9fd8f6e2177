import Foundation
import TensorIOImage
import Testing

@Suite struct `Decoding for a purpose` {
  /// Sides of the picture, of the frame, and how many times smaller the picture may be decoded.
  @Test(arguments: [
    (1280, 720, 224, 224, ImageFit.crop, 1), (1280, 720, 180, 180, .crop, 2),
    (1280, 720, 90, 90, .crop, 4), (1280, 720, 45, 45, .crop, 8), (1280, 720, 46, 46, .crop, 4),
    (1280, 720, 224, 224, .letterbox, 2), (1280, 720, 224, 126, .stretch, 2),
    (1280, 720, 224, 200, .stretch, 1), (719, 1281, 45, 45, .crop, 4), (9, 9, 1, 1, .crop, 4),
  ])
  func `decodes no fewer than twice the pixels that are needed`(
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

  /// How much is wanted, of which side, and how many times smaller the picture may be decoded.
  @Test(arguments: [
    (DecodeScale.full, 45, 1), (.double, 180, 2), (.double, 181, 1), (.single, 360, 2),
    (.single, 361, 1), (.single, 180, 4), (.single, 90, 8), (.single, 1, 8),
  ])
  func `decodes as much as is wanted`(detail: DecodeScale, side: Int, divisor: Int) throws {
    let bytes = try ImageBuffer.filled(width: 1280, height: 720, red: 80, green: 90, blue: 100)
      .encoded(as: .jpeg())
    let preparation = ImagePreparation(width: side, height: side)
    let options = DecodingOptions(for: preparation, decodeScale: detail)
    #expect(try ImageBuffer(decoding: bytes, options).width == 1280 / divisor)
  }

  @Test func `takes the orientation into account`() throws {
    let bytes = try ImageBuffer.filled(width: 800, height: 200, red: 1, green: 1, blue: 1)
      .encoded(as: .jpeg())
    let preparation = ImagePreparation(width: 100, height: 25, fit: .stretch)
    let lying = DecodingOptions(for: preparation)
    let standing = DecodingOptions(for: preparation, orientation: .right)
    #expect(try ImageBuffer(decoding: bytes, lying).width == 200)
    #expect(try ImageBuffer(decoding: bytes, standing).width == 800)
  }

  @Test func `takes all pixels where single ones are wanted`() throws {
    let bytes = try ImageBuffer.filled(width: 800, height: 200, red: 1, green: 1, blue: 1)
      .encoded(as: .jpeg())
    let preparation = ImagePreparation(width: 4, height: 4, filter: .nearest)
    #expect(try ImageBuffer(decoding: bytes, DecodingOptions(for: preparation)).width == 800)
  }

  @Test(arguments: ["china.jpg", "flower.jpg"])
  func `makes nearly the same picture of fewer pixels`(name: String) throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: name))
    let preparation = ImagePreparation(width: 100, height: 100, filter: .bilinear)
    let whole = try preparation(ImageBuffer(decoding: bytes)).image
    let fewer = try ImageBuffer(decoding: bytes, DecodingOptions(for: preparation))
    #expect(fewer.width == 320)
    let differences = try zip(whole.pixels, preparation(fewer).image.pixels).map {
      abs(Int($0) - Int($1))
    }
    #expect(differences.reduce(0, +) < 3 * differences.count)
  }

  @Test func `of an impossible purpose decodes everything`() throws {
    let bytes = try ImageBuffer.noise(width: 64, height: 64).encoded(as: .jpeg())
    for (width, height) in [(0, -3), (.max, .max), (.min, 1)] {
      for fit in ImageFit.allCases {
        let options = DecodingOptions(minWidth: width, minHeight: height, fit: fit)
        #expect(try ImageBuffer(decoding: bytes, options).width == 64)
      }
    }
  }
}
