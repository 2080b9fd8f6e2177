import Foundation
import Synchronization
import TensorIOSystem
import TensorIOTestSupport
import Testing
@testable import TensorIOServer

private let slowClientCount =
  Platform.environment("TENSORIO_SLOW_CLIENTS").flatMap { Int($0) } ?? 0

/// Slow clients in such numbers and with such patience as there are out there.
///
/// `TENSORIO_SLOW_CLIENTS=1000 swift test --filter ManySlowClientTests` takes about a minute and a half.
@Suite(.enabled(if: slowClientCount > 0), .serialized, .timeLimit(.minutes(5)))
struct ManySlowClientTests {
  /// A way to be slow.
  enum Way: CaseIterable {
    case head, body, answer

    var start: String {
      switch self {
      case .head: "G"
      case .body: "POST /here HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
      case .answer: "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
      }
    }

    var patience: Double { self == .head ? 10 : 30 }
  }

  @Test(arguments: Way.allCases)
  func `slow clients are cut in time, cost little, and slow nobody`(way: Way) async throws {
    let server = try TestServer { $0.maxQueuedRequests = slowClientCount }
    let quick = try server.client()
    let quiet = try Self.slowAnswer(quick)
    #expect(!TestRoutes.large.isEmpty)  // it is there before memory is measured
    let memory = try #require(ProcessMemory.residentBytes)
    let slow = try (0..<slowClientCount).map { _ in
      try RawHTTPClient(port: server.server.port, receiveBuffer: 4096)
    }
    for client in slow { client.send(way.start) }
    let isOver = Mutex(false)
    async let dripping: Void = onNewThread {
      while !isOver.withLock({ $0 }) {
        if way != .answer { for client in slow { client.send("a") } }
        sleep(1)
      }
    }
    let loaded = try Self.slowAnswer(quick)
    let growth = (try #require(ProcessMemory.residentBytes) - memory) / slowClientCount
    try await waitUntil { Self.cut(server, way).count == slowClientCount }
    isOver.withLock { $0 = true }
    await dripping
    let times = Self.cut(server, way).sorted()
    print(
      "\(way): p99 \(quiet) quiet, \(loaded) loaded; \(growth) bytes a connection; "
        + "cut after \(times[0]) to \(times[times.count - 1])")
    #expect(loaded <= max(quiet * 2, .milliseconds(10)))
    #expect(growth <= 100 << 10)
    #expect(times.allSatisfy { abs($0 / .seconds(1) - way.patience) <= 1 })
  }

  /// After which times slow clients were given up, but for their wait for a worker.
  private static func cut(_ server: TestServer, _ way: Way) -> [Duration] {
    server.log.all.filter { way == .answer ? $0.routePattern == "/large" : $0.status == 408 }
      .map { $0.duration - $0.queueDuration }
  }

  /// The time in which 99 of 100 answers come.
  private static func slowAnswer(_ client: RawHTTPClient) throws -> Duration {
    let times = try (0..<2000).map { _ in
      try ContinuousClock().measure {
        client.get("/v2/health/live")
        _ = try client.response()
      }
    }
    return times.sorted()[1980]
  }
}
