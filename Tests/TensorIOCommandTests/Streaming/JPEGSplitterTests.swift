import Foundation
import TensorIOTestSupport
import Testing
@testable import TensorIOStreaming

/// JPEGs that follow one another are told apart.
@Suite struct JPEGSplitterTests {
  static let files = ProjectFiles.entries(of: "Tests/Fixtures/Images/Formats", suffix: ".jpg")

  private static func pictures() throws -> [[UInt8]] {
    try files.map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
  }

  /// What comes out when the bytes come in pieces.
  private static func split(_ bytes: [UInt8], pieces: Int) -> (whole: [[UInt8]], held: Int) {
    var splitter = JPEGSplitter()
    var whole: [[UInt8]] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      whole += splitter.append(Array(bytes[start..<min(bytes.count, start + pieces)]))
    }
    return (whole, splitter.bufferedCount)
  }

  @Test(arguments: [1, 2, 7, 1000, 1 << 20])
  func `all of them come out as they went in, whatever pieces they come in`(
    _ pieces: Int
  ) throws {
    let pictures = try Self.pictures()
    #expect(pictures.count >= 10)
    let (whole, held) = Self.split(pictures.flatMap { $0 }, pieces: pieces)
    #expect(whole == pictures)
    #expect(held == 0)
  }

  @Test func `what is before, between and behind them is left aside`() throws {
    let picture = try Self.pictures()[0]
    let noise = Array("--boundary\r\nContent-Type: image/jpeg\r\n\r\n".utf8) + [0xFF]
    let (whole, held) = Self.split(noise + picture + noise + picture + noise, pieces: 50)
    #expect(whole == [picture, picture])
    #expect(held == 0)
  }

  @Test func `one that does not end is cut where it is too long, and the next one is found`() throws
  {
    let picture = try Self.pictures()[0]
    var splitter = JPEGSplitter(maxBytes: picture.count + 10_000)
    var cut = splitter.append(picture.dropLast(2))
    for _ in 0..<100 {
      cut += splitter.append([UInt8](repeating: 0, count: 1000))
      #expect(splitter.bufferedCount <= splitter.maxBytes + 1000)
    }
    #expect(cut.count == 1)
    #expect(splitter.append(picture) == [picture])
  }

  @Test func `a thumbnail in a segment is no picture of its own`() throws {
    let picture = try Self.pictures()[0]
    let thumbnail = try #require(try Self.pictures().min { $0.count < $1.count })
    let length = thumbnail.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + thumbnail
    let bearer = picture[..<2] + segment + picture[2...]
    let (whole, _) = Self.split(Array(bearer) + picture, pieces: 64)
    #expect(whole == [Array(bearer), picture])
  }

  @Test(arguments: [[0x00, 0x00], [0x00, 0x01], [0x00, 0x05], [0xFF, 0xFF]] as [[UInt8]])
  func `a length that lies costs what it reaches over, and not what follows`(_ length: [UInt8])
    throws
  {
    let picture = try Self.pictures()[0]
    let liar = Array(picture[..<2]) + [0xFF, 0xE1] + length + Array(picture[2...])
    let sound = [[UInt8]](repeating: picture, count: (3 << 16) / picture.count)
    let (whole, held) = Self.split(liar + sound.flatMap { $0 }, pieces: 9973)
    let isShort = length[0] == 0
    let kept = isShort ? sound.count : sound.count - (2 << 16) / picture.count
    #expect(whole.suffix(kept) == sound.suffix(kept))
    #expect(held == 0)
  }

  @Test func `one that is cut off ends where the next begins`() throws {
    let picture = try Self.pictures()[0]
    for count in [3, 20, picture.count / 2, picture.count - 1] {
      let cut = Array(picture[..<count])
      let (whole, held) = Self.split(cut + picture, pieces: 64)
      #expect(whole.last == picture, "\(count)")
      #expect(whole.count == 2 && held == 0, "\(count)")
    }
  }

  @Test func `one that has not ended is held`() throws {
    let picture = try Self.pictures()[0]
    let (whole, held) = Self.split(picture + picture.dropLast(), pieces: 64)
    #expect(whole == [picture])
    #expect(held == picture.count - 1)
  }

  /// A length that lies may reach over 64 KB, and no farther.
  @Test(arguments: 0..<20)
  func `damaged bytes never stop it`(_ seed: UInt64) throws {
    let picture = try Self.pictures()[0]
    var generator = SeededGenerator(seed: seed)
    var damaged = picture + picture
    for _ in 0..<20 {
      damaged[Int.random(in: 0..<damaged.count, using: &generator)] =
        .random(in: 0...255, using: &generator)
    }
    let sound = [[UInt8]](repeating: picture, count: (3 << 16) / picture.count)
    let (whole, held) = Self.split(damaged + sound.flatMap { $0 }, pieces: 9973)
    #expect(whole.suffix(sound.count / 4) == sound.suffix(sound.count / 4))
    #expect(whole.map(\.count).reduce(held, +) <= damaged.count + sound.count * picture.count)
  }
}
