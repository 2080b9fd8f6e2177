import Foundation
import TensorIOTestSupport
import Testing

/// Pictures with flipped bits, changed words, and cut off, through everything that reads pictures.
///
/// `TENSORIO_MUTATED_PICTURES` says how many; `Scripts/check-deep pictures` has 100,000 read under the
/// address sanitizer.
@Suite struct MutatedPictureTests {
  private static let count =
    ProcessInfo.processInfo.environment["TENSORIO_MUTATED_PICTURES"].flatMap { Int($0) } ?? 2_000
  private static let pictures = ProjectFiles.entries(of: "Tests/Fixtures/Images/Formats")
    .filter { !$0.hasSuffix(".json") && !$0.hasSuffix(".rgb") }

  @Test func `mutated pictures are refused, or pictures of the size that they claim`() throws {
    var generator = SeededGenerator(seed: 9)
    let pictures = try Self.pictures.map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
    try #require(!pictures.isEmpty)
    for number in 0..<Self.count {
      let mutant = mutate(pictures[number % pictures.count], &generator)
      #expect(throws: Never.self, "mutant \(number)") {
        try PictureReaders.header(mutant)
        try PictureReaders.decode(mutant)
      }
    }
    print("mutated pictures: \(Self.count)")
  }

  private func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      // Most of what decides anything stands at the beginning.
      let end = Bool.random(using: &generator) ? min(96, bytes.count) : bytes.count
      let place = Int.random(in: 0..<max(end, 1), using: &generator)
      guard bytes.indices.contains(place) else { continue }
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes.insert(contentsOf: bytes[place..<min(place + 16, bytes.count)], at: place)
      case 2: bytes[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 3: for each in place..<min(place + 4, bytes.count) { bytes[each] = 0xFF }
      default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
    return bytes
  }
}
