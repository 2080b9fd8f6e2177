import Foundation
import TensorIO
import TensorIOCore
import TensorIOImage
import TensorIOTestSupport
import Testing

/// Bundles that are opened, run and released repeatedly.
///
/// `TENSORIO_CYCLES` sets the number of cycles (default: 200).
@Suite(.serialized, .ownThreads) struct RepeatedOpeningTests {
  private static let bundles = [
    "Examples/Bundles/digits.tiobundle", "Tests/Fixtures/TensorFlow/picture-tensorflow.tiobundle",
  ]

  @Test(.hangGuard(isLong: cycles > 200), arguments: bundles)
  func `Opening, running and releasing models does not leak memory`(_ bundle: String) async throws {
    // In a separate process, in which no other test allocates memory.
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) { [bundle = bundle as String] in
      let path = ProjectFiles.path(bundle)
      let image = try ImageBuffer(contentsOf: #require(SharingTests.images.first))
      let memory = try MemoryGrowth(cycles: RepeatedOpeningTests.cycles) {
        _ = try Model(at: path).run(image)
      }
      print("grown:", bundle, memory)
      #expect(memory.minGrowth < memory.cyclesPerRound << 10, "\(memory)")
    }
    let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
    for line in output.split(separator: "\n") where line.hasPrefix("grown:") { print(line) }
  }

  private static let cycles =
    ProcessInfo.processInfo.environment["TENSORIO_CYCLES"].flatMap { Int($0) } ?? 200
}
