import Foundation
import TensorIOTestSupport
import Testing

/// Mutated images, read by all image decoders.
///
/// `TENSORIO_MUTATED_PICTURES` is the number of images; `Scripts/check/deep images` reads 100,000
/// with the address sanitizer.
@Suite(.ownThreads) struct MutatedImageTests {
  private static let count =
    ProcessInfo.processInfo.environment["TENSORIO_MUTATED_PICTURES"].flatMap { Int($0) } ?? 2_000
  private static let images = ProjectFiles.entries(of: "Tests/Fixtures/Images/Formats")
    .filter { !$0.hasSuffix(".json") && !$0.hasSuffix(".rgb") }

  @Test func `Mutated images are rejected or have the size in their header`() throws {
    var generator = SeededGenerator(seed: 9)
    let images = try Self.images.map { [UInt8](try Data(contentsOf: URL(filePath: $0))) }
    try #require(!images.isEmpty)
    for number in 0..<Self.count {
      var mutant = images[number % images.count]
      mutant.mutate(&generator)
      let input = mutant
      #expect(throws: Never.self, "mutant \(number)") {
        try ImageReaders.header(input)
        try ImageReaders.decode(input)
      }
    }
    print("mutated images: \(Self.count)")
  }
}
