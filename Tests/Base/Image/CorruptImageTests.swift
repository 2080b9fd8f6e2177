import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@Suite(.ownThreads) struct CorruptImageTests {
  @Test(arguments: Fixtures.formatNames)
  func `A file truncated at any point is rejected, never filled up`(name: String) throws {
    let bytes = try Fixtures.formatBytes(name)
    // The last row of a BMP may be padded with bytes that are not needed.
    let end = name.hasSuffix(".bmp") ? bytes.count - 4 : bytes.count
    for length in 0..<end where length < 700 || length.isMultiple(of: 64) || length > end - 16 {
      let error = imageError { _ = try ImageBuffer(decoding: Array(bytes[..<length])) }
      #expect(error != nil, "\(length) of \(bytes.count) bytes")
    }
  }

  @Test(arguments: ["china.jpg", "flower.jpg"])
  func `A JPEG photograph truncated at every 64th byte is rejected`(name: String) throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: name))
    let lengths = Array(stride(from: 0, to: bytes.count, by: 64))
    for length in Exhaustive.cases(lengths, orEvery: 7) {
      #expect(throws: ImageError.self, "\(length)") {
        try ImageBuffer(decoding: Array(bytes[..<length]))
      }
    }
  }

  @Test func `A PNG photograph truncated at every 64th byte is rejected`() throws {
    let bytes = try Fixtures.bytes(Fixtures.images.appending(path: "Sources/china.png"))
    for length in stride(from: 0, to: bytes.count, by: 64) {
      #expect(throws: ImageError.self, "\(length)") {
        try ImageBuffer(decoding: Array(bytes[..<length]))
      }
    }
  }

  @Test(arguments: ["baseline-420.jpg", "baseline-444.jpg", "gray.jpg", "cmyk.jpg"])
  func `Bytes between the last pixel of a JPEG and its end marker are ignored`(
    name: String
  ) throws {
    let bytes = try Fixtures.formatBytes(name)
    let padded = bytes.dropLast(2) + [0, 0, 0, 0] + bytes.suffix(2)
    #expect(try ImageBuffer(decoding: Array(padded)) == ImageBuffer(decoding: bytes))
    #expect(throws: ImageError.self) {
      try ImageBuffer(decoding: bytes.dropLast(bytes.count / 3) + [0, 0, 0, 0] + bytes.suffix(2))
    }
  }

  @Test func `A JPEG without its end is reported as truncated`() throws {
    let bytes = try Fixtures.formatBytes("baseline-420.jpg")
    let error = imageError { _ = try ImageBuffer(decoding: bytes.dropLast(bytes.count / 3)) }
    #expect(error?.reason == .truncated)
  }

  @Test func `A flipped bit in the pixels of a PNG is detected`() throws {
    var bytes = try Fixtures.formatBytes("rgb.png")
    bytes[bytes.count / 2] ^= 1
    #expect(throws: ImageError.self) { try ImageBuffer(decoding: bytes) }
  }

  @Test(arguments: Fixtures.formatNames)
  func `A file modified anywhere yields an error or an image, never a crash`(name: String) throws {
    let bytes = try Fixtures.formatBytes(name)
    var generator = SeededGenerator(seed: 42)
    for _ in 0..<300 {
      var mutant = bytes
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let range = Bool.random(using: &generator) ? 0..<min(80, bytes.count) : bytes.indices
        let position = Int.random(in: range, using: &generator)
        mutant[position] = hostileByte(&generator)
      }
      _ = try? ImageHeader(of: mutant)
      if let image = try? ImageBuffer(decoding: mutant) {
        #expect(image.pixels.count == image.width * image.height * image.format.bytesPerPixel)
      }
    }
  }

  @Test func `Invalid metadata is ignored`() throws {
    let bytes = try Fixtures.formatBytes("orientation-6.jpg")
    let start = try #require((0..<100).first { bytes[$0...].starts(with: Array("Exif".utf8)) })
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<5_000 {
      var mutant = bytes
      for _ in 0..<4 {
        mutant[start + Int.random(in: 6..<32, using: &generator)] = hostileByte(&generator)
      }
      #expect(try ImageHeader(of: mutant).width == 30)
    }
  }

  private func hostileByte(_ generator: inout SeededGenerator) -> UInt8 {
    [0, 1, 0x7F, 0x80, 0xFF, UInt8.random(in: 0...255, using: &generator)]
      .randomElement(using: &generator) ?? 0
  }
}
