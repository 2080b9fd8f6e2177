import Foundation
import TensorIOImage
import Testing

@Suite struct EncodingTests {
  @Test(arguments: PixelFormat.allCases)
  func `PNG is lossless`(format: PixelFormat) throws {
    let image = try ImageBuffer.noise(width: 31, height: 17, format: format)
    let decoded = try ImageBuffer(decoding: image.encoded(as: .png))
    #expect(decoded == image.converted(to: format == .gray ? .gray : .rgb))
  }

  @Test(arguments: PixelFormat.allCases)
  func `JPEG preserves colors`(format: PixelFormat) throws {
    let image = try ImageBuffer.filled(
      width: 20, height: 12, format: format, red: 200, green: 60, blue: 30)
    let decoded = try ImageBuffer(decoding: image.encoded(as: .jpeg(quality: 95)))
    let expected = image.converted(to: decoded.format)
    #expect(try #require(largestDifference(decoded.pixels, expected.pixels)) <= 3)
  }

  @Test func `A cropped view is encoded upright`() throws {
    let image = try ImageBuffer.noise(width: 30, height: 20, orientation: .left)
    let part = try image.cropped(to: PixelRegion(x: 4, y: 5, width: 9, height: 7))
    #expect(try ImageBuffer(decoding: part.encoded(as: .png)) == part.upright())
  }

  @Test func `A lower quality takes fewer bytes`() throws {
    let image = try ImageBuffer.noise(width: 64, height: 64)
    let sizes = try [1, 50, 100].map { try image.encoded(as: .jpeg(quality: $0)).count }
    #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
    #expect(try image.encoded(as: .jpeg(quality: -5)).count == sizes[0])
  }

  @Test func `Writing replaces a file and leaves no temporary files`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "a.PNG").path
    for seed in UInt64(1)...2 {
      let image = try ImageBuffer.noise(width: 5, height: 5, seed: seed)
      try image.write(to: path)
      #expect(try ImageBuffer(contentsOf: path) == image)
    }
    try ImageBuffer.noise(width: 5, height: 5).write(to: folder.appending(path: "b.jpeg"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(names.sorted() == ["a.PNG", "b.jpeg"])
  }

  @Test func `Writing to an unknown extension or a missing folder is an error`() throws {
    let image = try ImageBuffer.noise(width: 5, height: 5)
    let unknown = imageError { try image.write(to: "/tmp/image.gif") }
    #expect(unknown?.file == "/tmp/image.gif")
    #expect(
      imageError { try image.write(to: "/nowhere/image.png") }?.reason
        == .unwritable(message: "no such file or directory"))
  }
}
