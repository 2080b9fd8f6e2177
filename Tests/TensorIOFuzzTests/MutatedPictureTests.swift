import Foundation
import TensorIOTestSupport
import Testing

/// Mutated images, read by all image decoders.
///
/// `TENSORIO_MUTATED_PICTURES` is the number of images; `Scripts/check-deep pictures` reads 100,000
/// with the address sanitizer.
@Suite struct MutatedPictureTests {
  private static let count =
    ProcessInfo.processInfo.environment["TENSORIO_MUTATED_PICTURES"].flatMap { Int($0) } ?? 2_000
  private static let images = ProjectFiles.entries(of: "Tests/Fixtures/Images/Formats")
    .filter { !$0.hasSuffix(".json") && !$0.hasSuffix(".rgb") }

  @Test func `Mutated images are rejected or have the size in their header`() throws {
    var generator = SeededGenerator(seed: 9)
    let images = try Self.images.map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
    try #require(!images.isEmpty)
    for number in 0..<Self.count {
      let mutant = mutate(images[number % images.count], &generator)
      #expect(throws: Never.self, "mutant \(number)") {
        try PictureReaders.header(mutant)
        try PictureReaders.decode(mutant)
      }
    }
    print("mutated images: \(Self.count)")
  }

  private func mutate(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      // Half of the mutations are in the header.
      let end = Bool.random(using: &generator) ? min(96, bytes.count) : bytes.count
      let offset = Int.random(in: 0..<max(end, 1), using: &generator)
      guard bytes.indices.contains(offset) else { continue }
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes.removeSubrange(offset...)
      case 1: bytes.insert(contentsOf: bytes[offset..<min(offset + 16, bytes.count)], at: offset)
      case 2: bytes[offset] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 3: for each in offset..<min(offset + 4, bytes.count) { bytes[each] = 0xFF }
      default: bytes[offset] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
    }
    return bytes
  }
}
