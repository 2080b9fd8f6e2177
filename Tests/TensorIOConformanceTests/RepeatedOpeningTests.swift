import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Bundles that are opened, run and let go of, over and over.
///
/// `TENSORIO_CYCLES` says how often: 500 times without it.
@Suite(.serialized) struct RepeatedOpeningTests {
  private static let bundles = [
    "Examples/Bundles/digits.tiobundle", "Tests/Fixtures/TensorFlow/picture-tensorflow.tiobundle",
  ]

  @Test(.timeLimit(.minutes(60)), arguments: bundles)
  func `opening, running and letting go costs no memory`(_ bundle: String) async throws {
    // In a process of its own, in which no other test takes memory.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [bundle = bundle as String] in
      let path = ProjectFiles.path(bundle)
      let picture = try ImageBuffer(contentsOf: #require(SharingTests.pictures.first))
      let memory = try MemoryGrowth(cycles: RepeatedOpeningTests.cycles) {
        _ = try Model(bundleAt: path).run(picture)
      }
      print("grown:", bundle, memory)
      #expect(memory.minGrowth < memory.cyclesPerRound << 10, "\(memory)")
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    for line in output.split(separator: "\n") where line.hasPrefix("grown:") { print(line) }
  }

  private static let cycles =
    ProcessInfo.processInfo.environment["TENSORIO_CYCLES"].flatMap { Int($0) } ?? 500
}
