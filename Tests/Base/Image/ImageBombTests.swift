import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Small files that declare gigabytes of pixels or take seconds to decode.
enum ImageBomb: String, CaseIterable, Codable, CustomTestStringConvertible {
  case png30000 = "PNG of 30,000 by 30,000"
  case png20000 = "PNG of 20,000 by 20,000"
  case jpeg65500 = "JPEG of 65,500 by 65,500"
  case jpegScans = "JPEG of 8,000 by 8,000 in 500 scans"

  var testDescription: String { rawValue }

  func bytes() throws -> [UInt8] {
    switch self {
    case .png30000: Fixtures.blackPNG(side: 30_000)
    case .png20000: Fixtures.blackPNG(side: 20_000)
    case .jpeg65500: try Fixtures.jpeg("baseline-420.jpg", width: 65_500, height: 65_500)
    case .jpegScans:
      Fixtures.adding(
        scans: 500, to: try Fixtures.jpeg("progressive.jpg", width: 8_000, height: 8_000))
    }
  }

  var milliseconds: Double { self == .jpegScans ? 2000 : 50 }
}

@Suite(.serialized, .ownThreads) struct ImageBombTests {
  @Test(arguments: ImageBomb.allCases)
  func `An image bomb is rejected quickly and without allocating memory`(_ bomb: ImageBomb)
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try folder.write(bomb.bytes(), to: "image")
    // A separate process, so that memory allocated by other tests is not measured.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [path = path as String] in
      _ = try ImageBuffer(decoding: Fixtures.formatBytes("rgb.png"))
      let before = try Usage.now
      #expect(throws: ImageError.self) { try ImageBuffer(contentsOf: path) }
      let after = try Usage.now
      print("usage", after.milliseconds - before.milliseconds, after.bytes - before.bytes)
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("usage ") })
    let words = line.split(separator: " ")
    let (time, growth) = try (#require(Double(words[1])), #require(Int(words[2])))
    print("\(bomb.rawValue): rejected after \(time) ms, with \(growth >> 10) KiB more memory")
    #expect(time < bomb.milliseconds)
    #expect(growth < 20 << 20)
  }
}

/// The processor time of this process, which is independent of other load, and its peak memory.
private struct Usage {
  let milliseconds: Double
  let bytes: Int

  static var now: Usage {
    get throws {
      try Usage(
        milliseconds: Double(clock()) / Double(CLOCKS_PER_SEC) * 1000, bytes: MemoryUsage.peakBytes)
    }
  }
}
