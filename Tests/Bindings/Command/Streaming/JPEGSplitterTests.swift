import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOStreaming

/// Tests of splitting a stream into JPEG files.
@Suite struct JPEGSplitterTests {
  static let files = ProjectFiles.entries(of: "Tests/Fixtures/Images/Formats", suffix: ".jpg")

  private static func images() throws -> [[UInt8]] {
    try files.map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
  }

  /// Splits bytes that arrive in chunks of a given size.
  private static func split(_ bytes: [UInt8], chunkSize: Int) -> (whole: [[UInt8]], held: Int) {
    var splitter = JPEGSplitter()
    var whole: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: chunkSize) {
      whole += splitter.append(Array(bytes[start..<min(bytes.count, start + chunkSize)]))
    }
    return (whole, splitter.bufferedCount)
  }

  @Test(arguments: [1, 2, 7, 1000, 1 << 20])
  func `All files are returned unchanged for every chunk size`(
    _ chunkSize: Int
  ) throws {
    let images = try Self.images()
    #expect(images.count >= 10)
    let (whole, held) = Self.split(images.flatMap { $0 }, chunkSize: chunkSize)
    #expect(whole == images)
    #expect(held == 0)
  }

  @Test func `Bytes before, between and after files are skipped`() throws {
    let image = try Self.images()[0]
    let noise = Array("--boundary\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + [0xFF]
    let (whole, held) = Self.split(noise + image + noise + image + noise, chunkSize: 50)
    #expect(whole == [image, image])
    #expect(held == 0)
  }

  @Test func `A file without an end is cut at the limit and the next one is found`() throws {
    let image = try Self.images()[0]
    var splitter = JPEGSplitter(maxBytes: image.count + 10_000)
    var cut = splitter.append(image.dropLast(2))
    for _ in 0..<100 {
      cut += splitter.append([UInt8](repeating: 0, count: 1000))
      #expect(splitter.bufferedCount <= splitter.maxBytes + 1000)
    }
    #expect(cut.count == 1)
    #expect(splitter.append(image) == [image])
  }

  @Test func `A thumbnail in a segment is not a separate file`() throws {
    let image = try Self.images()[0]
    let thumbnail = try #require(try Self.images().min { $0.count < $1.count })
    let length = thumbnail.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + thumbnail
    var container = image
    container.insert(contentsOf: segment, at: 2)
    let (whole, _) = Self.split(container + image, chunkSize: 64)
    #expect(whole == [container, image])
  }

  @Test(arguments: [[0x00, 0x00], [0x00, 0x01], [0x00, 0x05], [0xFF, 0xFF]] as [[UInt8]])
  func `A wrong length damages only the files it spans`(_ length: [UInt8])
    throws
  {
    let image = try Self.images()[0]
    let corrupt = Array(image[..<2]) + [0xFF, 0xE1] + length + Array(image[2...])
    let sound = [[UInt8]](repeating: image, count: (3 << 16) / image.count)
    let (whole, held) = Self.split(corrupt + sound.flatMap { $0 }, chunkSize: 9973)
    let isShort = length[0] == 0
    let kept = isShort ? sound.count : sound.count - (2 << 16) / image.count
    #expect(whole.suffix(kept) == sound.suffix(kept))
    #expect(held == 0)
  }

  @Test func `A truncated file ends where the next one begins`() throws {
    let image = try Self.images()[0]
    for count in [3, 20, image.count / 2, image.count - 1] {
      let cut = Array(image[..<count])
      let (whole, held) = Self.split(cut + image, chunkSize: 64)
      #expect(whole.last == image, "\(count)")
      #expect(whole.count == 2 && held == 0, "\(count)")
    }
  }

  @Test func `An incomplete file is buffered`() throws {
    let image = try Self.images()[0]
    let (whole, held) = Self.split(image + image.dropLast(), chunkSize: 64)
    #expect(whole == [image])
    #expect(held == image.count - 1)
  }

  /// A wrong length spans at most 64 KB.
  @Test(arguments: 0..<20)
  func `Corrupt bytes do not stop the splitter`(_ seed: UInt64) throws {
    let image = try Self.images()[0]
    var generator = SeededGenerator(seed: seed)
    var damaged = image + image
    for _ in 0..<20 {
      damaged[Int.random(in: 0..<damaged.count, using: &generator)] =
        .random(in: 0...255, using: &generator)
    }
    let sound = [[UInt8]](repeating: image, count: (3 << 16) / image.count)
    let (whole, held) = Self.split(damaged + sound.flatMap { $0 }, chunkSize: 9973)
    #expect(whole.suffix(sound.count / 4) == sound.suffix(sound.count / 4))
    #expect(whole.map(\.count).reduce(held, +) <= damaged.count + sound.count * image.count)
  }
}
