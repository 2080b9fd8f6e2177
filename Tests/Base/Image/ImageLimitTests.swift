import Foundation
import TensorIOImage
import Testing

@Suite struct ImageLimitTests {
  @Test func `A PNG of 30,000 by 30,000 is rejected based on its header`() throws {
    let bytes = try Fixtures.png(width: 30_000, height: 30_000)
    #expect(try ImageHeader(of: bytes).width == 30_000)
    #expect(reason(bytes) == .tooLarge(width: 30_000, height: 30_000))
  }

  @Test func `A JPEG of 65,500 by 65,500 is rejected based on its header`() throws {
    let bytes = try Fixtures.jpeg("baseline-420.jpg", width: 65_500, height: 65_500)
    #expect(reason(bytes) == .tooLarge(width: 65_500, height: 65_500))
  }

  @Test func `A BMP that is too large, top-down or bottom-up, is rejected`() throws {
    for height in [Int32(20_000), -20_000, .min] {
      var bytes = try Fixtures.formatBytes("24-bit.bmp")
      bytes.replaceSubrange(22..<26, with: Fixtures.bigEndian(Int(height)).reversed())
      #expect(reason(bytes) == .tooLarge(width: 30, height: Int(height.magnitude)))
    }
  }

  @Test func `A graymap and a WebP that are too large are rejected based on their headers`() throws
  {
    #expect(reason(Array("P5 99999 2 255 ".utf8)) == .tooLarge(width: 99_999, height: 2))
    #expect(reason(Array("P6 0 2 255 ".utf8)) == .invalidSize(width: 0, height: 2))
    var bytes = try Fixtures.formatBytes("lossless.webp")
    bytes.replaceSubrange(21..<25, with: [0xFF, 0xFF, 0xFF, 0x0F])
    #expect(reason(bytes) == .tooLarge(width: 16_384, height: 16_384))
  }

  @Test func `The area is limited even if the sides are within their limit`() throws {
    let side = ImageLimits.maxSide
    #expect(
      try reason(Fixtures.png(width: side, height: side)) == .tooLarge(width: side, height: side))
    #expect(
      reason(try Fixtures.png(width: side + 1, height: 1)) == .tooLarge(width: side + 1, height: 1))
    #expect(reason(try Fixtures.png(width: 0, height: 5)) == .invalidSize(width: 0, height: 5))
  }

  @Test func `An image with the maximum side length is decoded`() throws {
    for (width, height) in [(1, ImageLimits.maxSide), (ImageLimits.maxSide, 1)] {
      let image = try ImageBuffer.noise(width: width, height: height)
      #expect(try ImageBuffer(decoding: image.encoded(as: .png)) == image)
    }
  }

  @Test func `A file that is too large is rejected without reading it`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).jpg").path
    try Data().write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let size = ImageLimits.maxFileBytes + 1
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(size))
    let error = imageError { _ = try ImageBuffer(contentsOf: path) }
    #expect(error?.reason == .oversizedFile(bytes: size, limit: ImageLimits.maxFileBytes))
  }

  @Test func `Reading the header of a missing file is an error`() {
    let error = imageError { _ = try ImageHeader(contentsOf: "/nowhere/image.png") }
    #expect(error?.file == "/nowhere/image.png")
  }

  @Test func `Only a PNG can be decoded to indices`() throws {
    let bytes = try Fixtures.formatBytes("gray.jpg")
    #expect(imageError { _ = try IndexedImage(decodingPNG: bytes) }?.reason == .unknownFormat)
  }

  @Test func `Bytes in memory have the same limit as files`() {
    let bytes = [UInt8](repeating: 0xFF, count: ImageLimits.maxFileBytes + 1)
    #expect(
      reason(bytes) == .oversizedFile(bytes: bytes.count, limit: ImageLimits.maxFileBytes))
  }

  @Test func `A JPEG with too many scans is rejected before decoding`() throws {
    let bytes = Fixtures.adding(scans: 500, to: try Fixtures.formatBytes("progressive.jpg"))
    #expect(reason(bytes) == .unsupported("a JPEG with more than \(ImageLimits.maxScans) scans"))
  }

  @Test func `A PNG with too many chunks is rejected`() throws {
    var bytes = try Fixtures.formatBytes("rgb.png")
    let empty: [UInt8] = [0, 0, 0, 0] + Array("tEXt".utf8) + [0, 0, 0, 0]
    bytes.insert(
      contentsOf: repeatElement(empty, count: ImageLimits.maxChunks).joined(), at: 33)
    #expect(
      reason(bytes)
        == .unsupported("a PNG with more than \(ImageLimits.maxChunks) chunks"))
  }

  @Test func `A WebP with too many chunks is rejected`() throws {
    var bytes = try Fixtures.formatBytes("lossless.webp")
    let empty = Array("TEXT".utf8) + [0, 0, 0, 0]
    bytes.insert(
      contentsOf: repeatElement(empty, count: ImageLimits.maxChunks).joined(), at: 12)
    let size = bytes.count - 8
    bytes.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) })
    #expect(
      reason(bytes)
        == .unsupported("a WebP with more than \(ImageLimits.maxChunks) chunks"))
  }

  @Test func `A preparation with an invalid size is rejected`() throws {
    let image = try ImageBuffer.noise(width: 4, height: 4)
    for (width, height) in [(0, 4), (4, -1), (ImageLimits.maxSide + 1, 1), (.max, .max)] {
      #expect(throws: ImageError.self) { try ImagePreparation(width: width, height: height)(image) }
    }
  }

  private func reason(_ bytes: [UInt8]) -> ImageError.Reason? {
    imageError { _ = try ImageBuffer(decoding: bytes) }?.reason
  }
}
