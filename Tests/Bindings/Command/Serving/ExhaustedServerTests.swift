import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// A server with fewer file descriptors than clients.
///
/// `TENSORIO_EXHAUSTED_SECONDS=60 swift test --filter ExhaustedServerTests` keeps this state for a minute.
@Suite(.ownThreads) struct ExhaustedServerTests {
  static let seconds =
    Platform.environment("TENSORIO_EXHAUSTED_SECONDS").flatMap { UInt32($0) } ?? 2

  @Test(.hangGuard, arguments: [64, 32])
  func `A server without free descriptors waits idly, opens models and recovers`(
    _ descriptors: Int
  ) throws {
    let server = try ServedExamples(
      [IsolatedServerTests.diabetes, "--workers", "1"], descriptors: descriptors)
    let first = try server.client()
    first.get("/v2/health/live")
    #expect(try first.response().status == 200)
    var crowd = try (0..<200).map { _ in try server.client() }
    usleep(300_000)
    first.post("/v2/models/diabetes/predict", json: IsolatedServerTests.patient)
    #expect(try first.response().status == 200)
    let process = ProcessStatistics(server.id)
    let before = try process.processorSeconds
    sleep(Self.seconds)
    let share = (try process.processorSeconds - before) / Double(Self.seconds)
    let open = try process.descriptors
    print("\(descriptors) descriptors, 201 clients: \(open) open, \(share) of a processor")
    #expect(share < 0.1)
    #expect(open < descriptors)
    let last = crowd.removeLast()
    crowd = []
    last.get("/v2/health/live")
    #expect(try last.response().status == 200)
    #expect(server.end().exitCode == 0)
  }
}
