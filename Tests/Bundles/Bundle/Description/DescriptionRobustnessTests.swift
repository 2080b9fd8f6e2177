import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite(.ownThreads) struct DescriptionRobustnessTests {
  private static func everything() throws -> [UInt8] {
    try #require(DescriptionFixture.valid.first { $0.name.hasPrefix("everything--") }).bytes()
  }

  @Test func `A truncated description is rejected`() throws {
    let bytes = try Self.everything()
    let end = try #require(bytes.lastIndex(of: UInt8(ascii: "}")))
    for length in 0...end {
      let report = DescriptionReader.standard.read(Array(bytes[..<length]))
      #expect(report.description == nil && report.errors.count == 1)
      #expect(report.errors.first?.legacyCode == 1000)
    }
  }

  @Test func `Ten thousand modified descriptions are parsed or rejected`() throws {
    let bytes = try Self.everything()
    var random = SeededGenerator(seed: 2026)
    var rejected = 0
    for _ in 0..<10_000 {
      let changed = Self.change(bytes, &random)
      let report = DescriptionReader.standard.read(changed)
      #expect((report.description == nil) == !report.errors.isEmpty)
      if report.description == nil { rejected += 1 }
      for diagnostic in report.diagnostics {
        #expect(diagnostic.line ?? 1 >= 1 && diagnostic.column ?? 1 >= 1)
      }
    }
    #expect((1_000..<10_000).contains(rejected))
  }

  /// Returns the bytes with a few changes, insertions and deletions.
  private static func change(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    let structural = Array("[]{},:\"\\-0.e1 tfn".utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[index] = .random(in: .min ... .max, using: &random)
      case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[index] = structural[Int.random(in: structural.indices, using: &random)]
      case 3: bytes.remove(at: index)
      default:
        let end = min(index + Int.random(in: 1...40, using: &random), bytes.count)
        bytes.insert(contentsOf: bytes[index..<end], at: index)
      }
    }
    return bytes
  }
}
