import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Small files that are pictures of gigabytes, or take seconds to be decoded.
enum PictureBomb: String, CaseIterable, Codable, CustomTestStringConvertible {
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

@Suite(.serialized) struct PictureBombTests {
  @Test(arguments: PictureBomb.allCases)
  func `it is refused at once and takes no memory`(_ bomb: PictureBomb) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(bomb.bytes(), to: "picture")
    // In a process of its own, in which no other test takes memory.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [path = path as String] in
      _ = try ImageBuffer(decoding: Fixtures.formatBytes("rgb.png"))
      let before = try Spent.now
      #expect(throws: ImageError.self) { try ImageBuffer(contentsOf: path) }
      let after = try Spent.now
      print("spent", after.milliseconds - before.milliseconds, after.bytes - before.bytes)
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("spent ") })
    let words = line.split(separator: " ")
    let (time, growth) = try (#require(Double(words[1])), #require(Int(words[2])))
    print("\(bomb.rawValue): refused after \(time) ms, with \(growth >> 10) KiB more memory")
    #expect(time < bomb.milliseconds)
    #expect(growth < 20 << 20)
  }
}

/// What this process has taken: time of the processor, since the machine has other work, and the most memory
/// that it had at once.
private struct Spent {
  let milliseconds: Double
  let bytes: Int

  static var now: Spent {
    get throws {
      try Spent(milliseconds: Double(clock()) / Double(CLOCKS_PER_SEC) * 1000, bytes: mostBytes())
    }
  }

  private static func mostBytes() throws -> Int {
    #if canImport(Darwin)
      var usage = rusage()
      try #require(unsafe getrusage(RUSAGE_SELF, &usage) == 0)
      return usage.ru_maxrss
    #else
      // What `getrusage` tells begins with the memory of the process that started this one.
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      let kibibytes = try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first)
      return try #require(Int(kibibytes)) * 1024
    #endif
  }
}
