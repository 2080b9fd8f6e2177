import Foundation
import TensorIOImage
import Testing

@Suite struct `Encoding` {
  @Test(arguments: PixelFormat.allCases)
  func `as PNG loses nothing`(format: PixelFormat) throws {
    let image = try ImageBuffer.noise(width: 31, height: 17, format: format)
    let read = try ImageBuffer(decoding: image.encoded(as: .png))
    #expect(read == image.converted(to: format == .gray ? .gray : .rgb))
  }

  @Test(arguments: PixelFormat.allCases)
  func `as JPEG keeps the colours`(format: PixelFormat) throws {
    let image = try ImageBuffer.filled(
      width: 20, height: 12, format: format, red: 200, green: 60, blue: 30)
    let read = try ImageBuffer(decoding: image.encoded(as: .jpeg(quality: 95)))
    let wanted = image.converted(to: read.format)
    #expect(try #require(largestDifference(read.pixels, wanted.pixels)) <= 3)
  }

  @Test func `shows what a view shows, upright`() throws {
    let image = try ImageBuffer.noise(width: 30, height: 20, orientation: .left)
    let part = try image.cropped(to: PixelRegion(x: 4, y: 5, width: 9, height: 7))
    #expect(try ImageBuffer(decoding: part.encoded(as: .png)) == part.upright())
  }

  @Test func `with less quality takes fewer bytes`() throws {
    let image = try ImageBuffer.noise(width: 64, height: 64)
    let sizes = try [1, 50, 100].map { try image.encoded(as: .jpeg(quality: $0)).count }
    #expect(sizes == sizes.sorted() && Set(sizes).count == 3)
    #expect(try image.encoded(as: .jpeg(quality: -5)).count == sizes[0])
  }

  @Test func `into a file replaces it and leaves nothing beside it`() throws {
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

  @Test func `of an unknown name or into nowhere is an error`() throws {
    let image = try ImageBuffer.noise(width: 5, height: 5)
    let unknown = imageError { try image.write(to: "/tmp/picture.gif") }
    #expect(unknown?.file == "/tmp/picture.gif")
    #expect(
      imageError { try image.write(to: "/nowhere/picture.png") }?.reason
        == .unwritable(message: "there is no such file or folder"))
  }
}
